import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { hostLiteral, isAllowedAddress, type TargetPolicy } from '#domain';
import { BlockedAddressError } from './blocked-address.error.js';
import type { Lookup } from './guarded-lookup.js';

/** Idle connections are closed before most servers do it, so that a request rarely meets a closing one. */
const IDLE_MS = 4_000;

type Connect = (options: { host?: string; lookup?: unknown }, callback?: unknown) => Socket;

/**
 * Agents that keep connections alive and check every address: a literal before connecting, a name's addresses
 * in the lookup, and the connected peer each time a socket is used. Node calls no lookup for a literal, nor
 * again for a reused socket.
 */
export function guardedAgents(
  policy: TargetPolicy,
  lookup: Lookup,
): { httpAgent: http.Agent; httpsAgent: https.Agent } {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 64 };
  return {
    httpAgent: guard(new http.Agent(options), policy, lookup),
    httpsAgent: guard(new https.Agent(options), policy, lookup),
  };
}

function guard<Agent extends http.Agent>(agent: Agent, policy: TargetPolicy, lookup: Lookup): Agent {
  const inner = agent as unknown as {
    createConnection: Connect;
    reuseSocket: (socket: Socket, request: unknown) => void;
  };
  const createConnection = inner.createConnection.bind(agent);
  const reuseSocket = inner.reuseSocket.bind(agent);
  const assertPeer = (socket: Socket): void => {
    const peer = socket.remoteAddress;
    if (peer !== undefined && !isAllowedAddress(peer, policy)) socket.destroy(new BlockedAddressError(peer));
  };
  inner.createConnection = (options, callback) => {
    const literal = hostLiteral(options.host ?? '');
    if (literal && !isAllowedAddress(literal, policy)) throw new BlockedAddressError(literal);
    const socket = createConnection({ ...options, lookup }, callback);
    return socket.once('connect', () => assertPeer(socket));
  };
  inner.reuseSocket = (socket, request) => {
    assertPeer(socket);
    reuseSocket(socket, request);
  };
  return agent;
}
