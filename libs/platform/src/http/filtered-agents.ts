// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import http from 'node:http';
// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import https from 'node:https';
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { ResponseFilter } from './response-filter.js';

/** A client's agents, one per scheme. */
export interface Agents {
  httpAgent: http.Agent;
  httpsAgent: https.Agent;
}

/** The agent methods that are overridden. */
export interface AgentHooks {
  createConnection: (options: ConnectOptions, callback?: unknown) => Socket;
  reuseSocket: (socket: Socket, request: http.ClientRequest) => void;
}

export interface ConnectOptions {
  host?: string;
  servername?: string;
  lookup?: unknown;
}

/** Without this option, a server could use unlimited CPU time with repeated handshakes (RFC 5246, section 7.4.1.1). */
const tlsOptions: https.AgentOptions = { secureOptions: constants.SSL_OP_NO_RENEGOTIATION };

/**
 * Keep-alive with an idle timeout of 4 s. Most servers have a longer timeout, so a request rarely uses a connection
 * that the server is closing. The TCP keep-alive delay is 60 s, as in axios, because another value would cost two
 * system calls per request.
 */
const keepAliveOptions: http.AgentOptions = {
  keepAlive: true,
  keepAliveMsecs: 60_000,
  timeout: 4_000,
  maxFreeSockets: 256,
};

/**
 * Creates agents whose responses are filtered.
 * @param isReused whether connections are kept alive and reused
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
    ResponseFilter.find(socket)!.startRequest();
    reuseSocket(socket, request);
  };
  agent.on('free', (socket: Socket) => ResponseFilter.find(socket)?.endRequest());
  return agent;
}
