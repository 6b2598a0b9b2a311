import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Logger } from '@gatehouse/platform';
import { eventually } from '../../../../../test/support/eventually.js';
import { limitConnections, maxConnections } from './connection-limits.js';

const sockets: Socket[] = [];
const logged: unknown[][] = [];
let server: Server;
let open = 0;
beforeAll(async () => {
  server = createServer();
  limitConnections(server, {
    maxConnections: 8,
    isProxy: (address) => address === '127.0.0.9',
    logger: { warn: (...entry: unknown[]) => void logged.push(entry) } as unknown as Logger,
  });
  server.on('connection', (socket) => {
    if (socket.destroyed) return;
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Connects from a loopback address. @returns false if the server closes the connection */
async function isAccepted(localAddress: string): Promise<boolean> {
  const before = open;
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  let isClosed = false;
  socket.on('error', () => undefined).once('close', () => (isClosed = true));
  await eventually('the decision about a connection', () => isClosed || open > before);
  return !isClosed;
}

it('closes connections beyond the maximum, and beyond a quarter of it from one address', async () => {
  const accepted: Record<string, boolean[]> = {};
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.9']) {
    accepted[address] = [];
    for (let number = 0; number < 4; number += 1) accepted[address].push(await isAccepted(address));
  }
  expect(accepted).toEqual({
    '127.0.0.2': [true, true, false, false],
    '127.0.0.3': [true, true, false, false],
    // A proxy can use all connections.
    '127.0.0.9': [true, true, true, true],
  });
  expect(await isAccepted('127.0.0.4')).toBe(false);
  expect(logged).toEqual([[{ connections: 1, maxConnections: 8 }, 'connections rejected']]);
  sockets[0]!.destroy();
  await eventually('the end of a connection', () => open === 7);
  expect(await isAccepted('127.0.0.2')).toBe(true);
});

it('allows 2,560 connections with 160 MiB of request memory', () => {
  expect(maxConnections(160 * 2 ** 20)).toBe(2_560);
});
