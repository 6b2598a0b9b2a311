// oxlint-disable-next-line no-restricted-imports -- only the type
import type http from 'node:http';
import { isIP } from 'node:net';
import { isAllowedAddress, type TargetPolicy } from '@gatehouse/domain';
import { BlockedAddressError } from './blocked-address.error.js';
import { createFilteredAgents, type AgentHooks, type Agents } from './filtered-agents.js';
import type { Lookup } from './guarded-lookup.js';

/**
 * How long to wait before a host's next address is attempted, in ms. The Node.js default of 250 ms is shorter than
 * some round trips.
 */
const NEXT_ADDRESS_DELAY_MS = 2_000;

/** Options that override the environment (`NODE_TLS_REJECT_UNAUTHORIZED`, `--tls-min-v1.0`). */
const tlsOptions = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

/**
 * Creates agents that check every address: an IP address in the URL before they connect, a host's addresses in the
 * lookup, and the connected peer's address before any byte of a request is sent. The lookup alone is not sufficient,
 * because Node.js does not call it for an IP address or a reused connection.
 * @param isReused whether connections are kept alive and reused
 */
export function guardedAgents(policy: TargetPolicy, lookup: Lookup, isReused: boolean): Agents {
  const { httpAgent, httpsAgent } = createFilteredAgents(isReused, tlsOptions);
  return { httpAgent: guard(httpAgent, policy, lookup), httpsAgent: guard(httpsAgent, policy, lookup) };
}

function guard<Agent extends http.Agent>(agent: Agent, policy: TargetPolicy, lookup: Lookup): Agent {
  const hooks = agent as unknown as AgentHooks;
  const createConnection = hooks.createConnection.bind(agent);
  const reuseSocket = hooks.reuseSocket.bind(agent);
  const findRejection = (address: string | undefined): BlockedAddressError | null =>
    address !== undefined && isAllowedAddress(address, policy)
      ? null
      : new BlockedAddressError(address ?? 'an unknown peer');
  hooks.createConnection = (options, callback) => {
    const rejection = isIP(options.host ?? '') ? findRejection(options.host) : null;
    if (rejection) throw rejection;
    const guarded = { ...options, lookup, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_DELAY_MS };
    const socket = createConnection(guarded, callback);
    // Must run before all other listeners, because TLS also listens for `connect` to start its handshake.
    return socket.prependOnceListener('connect', () => {
      const rejection = findRejection(socket.remoteAddress);
      if (rejection) socket.destroy(rejection);
    });
  };
  hooks.reuseSocket = (socket, request) => {
    const rejection = findRejection(socket.remoteAddress);
    if (rejection) {
      socket.destroy();
      throw rejection;
    }
    reuseSocket(socket, request);
  };
  return agent;
}
