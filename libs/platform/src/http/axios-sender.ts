import type { IncomingMessage } from 'node:http';
import type { AxiosInstance } from 'axios';
import { normalizeUrl } from '@gatehouse/domain';
import type { Agents } from './filtered-agents.js';
import type { HttpTransport } from './http-transport.js';
import type { OutboundRequest, RequestSender } from './request-sender.js';

/** Sends requests with axios. A process that sends no requests never loads it. */
export class AxiosSender implements RequestSender {
  private axios: AxiosInstance | undefined;

  async load(): Promise<void> {
    if (this.axios) return;
    const { default: axios } = await import('axios');
    this.axios ??= axios.create({
      responseType: 'stream',
      maxRedirects: 0,
      decompress: false,
      proxy: false,
      validateStatus: () => true,
      transformRequest: [(data: unknown) => data],
    });
  }

  async send(
    { method, url, headers, body }: OutboundRequest,
    agents: Agents,
    transport: HttpTransport,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { data } = await this.axios!.request<IncomingMessage>({
      httpAgent: agents.httpAgent,
      httpsAgent: agents.httpsAgent,
      transport,
      method,
      // axios would convert the host with the Node.js tables (ADR 0099).
      url: normalizeUrl(url),
      headers: { 'accept-encoding': 'identity', ...headers },
      data: body,
      signal,
    });
    return data;
  }
}
