// oxlint-disable-next-line no-restricted-imports -- transport of the OutboundClient
import http from 'node:http';
// oxlint-disable-next-line no-restricted-imports -- transport of the OutboundClient
import https from 'node:https';
import { ResponseFilter } from './response-filter.js';

/**
 * Sends a request with filtered agents. It hides the response headers from axios, which would search all headers for
 * each header. It is a class because axios copies plain objects in its configuration.
 */
export class HttpTransport {
  /** The response headers. */
  headers: http.IncomingHttpHeaders = {};
  private sent: http.ClientRequest | undefined;

  /** Sends the request's head. Called by axios or the NodeSender. */
  request(
    options: https.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const send = options.protocol === 'https:' ? https.request : http.request;
    this.sent = send(options, (response) => {
      this.headers = response.headers;
      // The agent reads from this header how long the server keeps the connection open.
      const { 'keep-alive': keepAlive } = response.headers;
      response.headers = keepAlive === undefined ? {} : { 'keep-alive': keepAlive };
      onResponse(response);
    });
    return this.sent;
  }

  /** Reads all data that has arrived. Called before the request time limit expires. */
  stopPausing(): void {
    this.filter?.stopPausing();
  }

  /** True if the connection was reused and no byte of the response has arrived. */
  get isStale(): boolean {
    return this.sent?.reusedSocket === true && this.filter?.hasStarted === false;
  }

  private get filter(): ResponseFilter | undefined {
    const socket = this.sent?.socket;
    return socket ? ResponseFilter.find(socket) : undefined;
  }
}
