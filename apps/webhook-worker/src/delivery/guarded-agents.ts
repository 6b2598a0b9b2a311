import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { isAllowedAddress, type TargetPolicy } from '#domain';
import { BlockedAddressError } from './blocked-address.error.js';
import type { Lookup } from './guarded-lookup.js';
import { InterimAnswerError } from './interim-answer.error.js';

/** Idle connections are closed before most servers do it, so that a request rarely meets a closing one. */
const IDLE_MS = 4_000;

/** When the next of several addresses is tried, in ms; Node's 250 is less than a round trip around the world. */
const NEXT_ADDRESS_MS = 2_000;

/** Most 1xx answers to one request; a target may announce progress. */
const MOST_INTERIM_ANSWERS = 20;

/** Whatever the environment says (`NODE_TLS_REJECT_UNAUTHORIZED`, `--tls-min-v1.0`). */
const tlsOptions = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

type Connect = (options: { host?: string; lookup?: unknown }, callback?: unknown) => Socket;

/**
 * Agents that keep connections alive and check every address: a literal before connecting, a name's addresses
 * in the lookup, and the connected peer each time before a byte is sent. Node calls no lookup for a literal, nor
 * again for a reused socket.
 */
export function guardedAgents(
  policy: TargetPolicy,
  lookup: Lookup,
): { httpAgent: http.Agent; httpsAgent: https.Agent } {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 64 };
  return {
    httpAgent: guard(new http.Agent(options), policy, lookup),
    httpsAgent: guard(new https.Agent({ ...options, ...tlsOptions }), policy, lookup),
  };
}

function guard<Agent extends http.Agent>(agent: Agent, policy: TargetPolicy, lookup: Lookup): Agent {
  const inner = agent as unknown as {
    addRequest: (request: http.ClientRequest, options: unknown) => void;
    createConnection: Connect;
    reuseSocket: (socket: Socket, request: http.ClientRequest) => void;
  };
  const addRequest = inner.addRequest.bind(agent);
  const createConnection = inner.createConnection.bind(agent);
  const reuseSocket = inner.reuseSocket.bind(agent);
  const refusalOf = (address: string | undefined): BlockedAddressError | null =>
    address !== undefined && isAllowedAddress(address, policy)
      ? null
      : new BlockedAddressError(address ?? 'an unknown peer');
  inner.addRequest = (request, options) => {
    refuseInterimAnswers(request);
    addRequest(request, options);
  };
  inner.createConnection = (options, callback) => {
    const refusal = isIP(options.host ?? '') ? refusalOf(options.host) : null;
    if (refusal) throw refusal;
    const guarded = { ...options, lookup, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
    const socket = createConnection(guarded, callback);
    // Before every other listener: TLS listens for `connect` too, and begins its handshake there.
    return socket.prependOnceListener('connect', () => {
      const refusal = refusalOf(socket.remoteAddress);
      if (refusal) socket.destroy(refusal);
    });
  };
  inner.reuseSocket = (socket, request) => {
    const refusal = refusalOf(socket.remoteAddress);
    if (refusal) {
      socket.destroy();
      throw refusal;
    }
    reuseSocket(socket, request);
  };
  return agent;
}

/** Left alone, neither a row of 1xx answers nor a 101, which nobody asked for, would end the request. */
function refuseInterimAnswers(request: http.ClientRequest): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count > MOST_INTERIM_ANSWERS) request.destroy(new InterimAnswerError());
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    request.emit('error', new InterimAnswerError());
  });
}
