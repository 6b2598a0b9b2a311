// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import http from 'node:http';
// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import https from 'node:https';
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { ResponseFilter } from './response-filter.js';

/** The agents of a client, one for each scheme. */
export interface Agents {
  httpAgent: http.Agent;
  httpsAgent: https.Agent;
}

/** The methods of an agent that are overridden. */
export interface AgentHooks {
  createConnection: (options: ConnectOptions, callback?: unknown) => Socket;
  reuseSocket: (socket: Socket, request: http.ClientRequest) => void;
}

export interface ConnectOptions {
  host?: string;
  servername?: string;
  lookup?: unknown;
}

/** A server that starts handshakes again and again (RFC 5246, section 7.4.1.1) would cost CPU time without end. */
const tlsOptions: https.AgentOptions = { secureOptions: constants.SSL_OP_NO_RENEGOTIATION };

/**
 * Keep-alive with an idle timeout of 4 s. Most servers wait longer, so that a request rarely uses a
 * connection that its server is closing.
 */
const keepAliveOptions: http.AgentOptions = { keepAlive: true, timeout: 4_000, maxFreeSockets: 256 };

/** Requests on a reused connection that has failed before the first byte of a response. */
const staleRequests = new WeakSet<object>();

/** Returns whether a request failed because its reused connection was closed before the response started. */
export const hasUsedStaleConnection = (request: unknown): boolean =>
  typeof request === 'object' && request !== null && staleRequests.has(request);

/** The headers of the responses, which axios does not see: it searches all headers for each one. */
const responseHeaders = new WeakMap<http.IncomingMessage, http.IncomingHttpHeaders>();

/** Returns the headers of a response to a request of filtered agents. */
export const headersOf = (response: http.IncomingMessage): http.IncomingHttpHeaders =>
  responseHeaders.get(response)!;

/** An implementation of `request` for axios. */
export interface Transport {
  request: (
    options: https.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ) => http.ClientRequest;
}

/** Returns a transport that hides the headers of responses from axios. @param onSocket called with each connection */
export const createTransport = (onSocket: (socket: Socket) => void): Transport => ({
  request: (options, onResponse) => {
    const request = (options.protocol === 'https:' ? https : http).request(options, (response) => {
      responseHeaders.set(response, response.headers);
      response.headers = {};
      onResponse(response);
    });
    return request.once('socket', onSocket);
  },
});

/**
 * Returns agents whose responses are filtered.
 * @param isReused whether connections are kept alive and used again
 */
export const createFilteredAgents = (isReused: boolean, tls: https.AgentOptions = {}): Agents => {
  const options = isReused ? keepAliveOptions : { keepAlive: false };
  return {
    httpAgent: filterResponses(new http.Agent(options)),
    httpsAgent: filterResponses(new https.Agent({ ...options, ...tls, ...tlsOptions })),
  };
};

function filterResponses<Agent extends http.Agent>(agent: Agent): Agent {
  const hooks = agent as unknown as AgentHooks;
  const createConnection = hooks.createConnection.bind(agent);
  const reuseSocket = hooks.reuseSocket.bind(agent);
  hooks.createConnection = ({ servername, ...options }, callback) => {
    // A trailing dot is not part of the server name (RFC 6066, section 3).
    const tls = servername === undefined ? {} : { servername: servername.replace(/\.$/, '') };
    const socket = createConnection({ ...options, ...tls }, callback);
    ResponseFilter.attach(socket);
    return socket;
  };
  hooks.reuseSocket = (socket, request) => {
    const filter = ResponseFilter.of(socket)!;
    filter.startRequest();
    request.once('error', () => {
      if (!filter.hasStarted) staleRequests.add(request);
    });
    reuseSocket(socket, request);
  };
  agent.on('free', (socket: Socket) => ResponseFilter.of(socket)?.endRequest());
  return agent;
}
