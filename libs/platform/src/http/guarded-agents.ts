// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import http from 'node:http';
// oxlint-disable-next-line no-restricted-imports -- agents of the OutboundClient
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { isAllowedAddress, type TargetPolicy } from '@gatehouse/domain';
import { BlockedAddressError } from './blocked-address.error.js';
import type { Lookup } from './guarded-lookup.js';
import { limitInterimResponses } from './interim-responses.js';
import { agentOptions, type Agents } from './plain-agents.js';

/**
 * Time until the next of several addresses is attempted, in ms. The default of Node.js, 250 ms, is shorter
 * than some round trips.
 */
const NEXT_ADDRESS_DELAY_MS = 2_000;

/** These options override the environment (`NODE_TLS_REJECT_UNAUTHORIZED`, `--tls-min-v1.0`). */
const tlsOptions = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

type Connect = (options: { host?: string; lookup?: unknown }, callback?: unknown) => Socket;

/**
 * Returns agents that keep connections alive and check every address: an IP address in the URL before they
 * connect, the addresses of a host in the lookup, and the address of the connected peer before every request,
 * before a byte is sent. Node.js calls no lookup for an IP address, nor for a connection that is used again.
 */
export const guardedAgents = (policy: TargetPolicy, lookup: Lookup): Agents => ({
  httpAgent: guard(limitInterimResponses(new http.Agent(agentOptions)), policy, lookup),
  httpsAgent: guard(
    limitInterimResponses(new https.Agent({ ...agentOptions, ...tlsOptions })),
    policy,
    lookup,
  ),
});

function guard<Agent extends http.Agent>(agent: Agent, policy: TargetPolicy, lookup: Lookup): Agent {
  const inner = agent as unknown as {
    createConnection: Connect;
    reuseSocket: (socket: Socket, request: http.ClientRequest) => void;
  };
  const createConnection = inner.createConnection.bind(agent);
  const reuseSocket = inner.reuseSocket.bind(agent);
  const findRefusal = (address: string | undefined): BlockedAddressError | null =>
    address !== undefined && isAllowedAddress(address, policy)
      ? null
      : new BlockedAddressError(address ?? 'an unknown peer');
  inner.createConnection = (options, callback) => {
    const refusal = isIP(options.host ?? '') ? findRefusal(options.host) : null;
    if (refusal) throw refusal;
    const guarded = { ...options, lookup, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_DELAY_MS };
    const socket = createConnection(guarded, callback);
    // Before every other listener: TLS also listens for `connect`, and starts its handshake then.
    return socket.prependOnceListener('connect', () => {
      const refusal = findRefusal(socket.remoteAddress);
      if (refusal) socket.destroy(refusal);
    });
  };
  inner.reuseSocket = (socket, request) => {
    const refusal = findRefusal(socket.remoteAddress);
    if (refusal) {
      socket.destroy();
      throw refusal;
    }
    reuseSocket(socket, request);
  };
  return agent;
}
