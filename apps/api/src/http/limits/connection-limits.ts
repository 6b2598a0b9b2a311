import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs, type Logger } from '@gatehouse/platform';
import { addressBlock, normalizeAddress } from '../client-address.js';

/** Memory for a connection whose client sends headers slowly. Headers take at most 16 KiB. */
const CONNECTION_BYTES = 64 * 1024;

/** Divisor for the share of the connections that one client IP can use. */
const PER_ADDRESS = 4;

/** Minimum time between two log entries about rejected connections, in ms. */
const LOG_INTERVAL_MS = 60_000;

interface ConnectionOptions {
  maxConnections: number;
  /** Returns true for a proxy. Its connections belong to many clients. */
  isProxy: (address: string) => boolean;
  logger: Logger;
}

/** Returns the number of connections that the memory for requests in progress allows. */
export const maxConnections = (requestMemory: number): number => Math.floor(requestMemory / CONNECTION_BYTES);

/**
 * Closes connections beyond the maximum, and beyond a quarter of the maximum from one client IP, because even
 * an idle connection uses memory and a file descriptor until `headersTimeout` or `keepAliveTimeout` closes it.
 */
export function limitConnections(
  server: Server,
  { maxConnections: max, isProxy, logger }: ConnectionOptions,
): void {
  const byAddress = new Map<string, number>();
  let [rejected, loggedAt] = [0, -Infinity];
  const recordRejection = (): void => {
    rejected += 1;
    if (monotonicMs() - loggedAt < LOG_INTERVAL_MS) return;
    logger.warn({ connections: rejected, maxConnections: max }, 'connections rejected');
    [rejected, loggedAt] = [0, monotonicMs()];
  };
  server.maxConnections = max;
  server.on('drop', recordRejection);
  server.on('connection', (socket: Socket) => {
    const address = normalizeAddress(socket.remoteAddress);
    if (address === null || isProxy(address)) return;
    const block = addressBlock(address);
    const count = (byAddress.get(block) ?? 0) + 1;
    if (count > max / PER_ADDRESS) {
      recordRejection();
      socket.destroy();
      return;
    }
    byAddress.set(block, count);
    socket.once('close', () => {
      const remaining = byAddress.get(block)! - 1;
      if (remaining > 0) byAddress.set(block, remaining);
      else byAddress.delete(block);
    });
  });
}
