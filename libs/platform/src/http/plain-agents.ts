// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import http from 'node:http';
// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import https from 'node:https';
import { limitInterimResponses } from './interim-responses.js';

/** The agents of a client, one for each scheme. */
export interface Agents {
  httpAgent: http.Agent;
  httpsAgent: https.Agent;
}

/**
 * Keep-alive with an idle timeout of 4 s. Most servers wait longer, so that a request rarely uses a
 * connection that its server is closing.
 */
export const agentOptions: http.AgentOptions = { keepAlive: true, timeout: 4_000, maxFreeSockets: 64 };

/** Returns agents that connect to any address, with the resolver and the TLS settings of the system. */
export const plainAgents = (): Agents => ({
  httpAgent: limitInterimResponses(new http.Agent(agentOptions)),
  httpsAgent: limitInterimResponses(new https.Agent(agentOptions)),
});
