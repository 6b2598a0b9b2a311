import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { RawTarget } from '../support/raw-target.js';
import { serve } from './child.js';
import { benchResponses, type BenchResponse } from './hostile-responses.js';

/** Pause between two packets, so that the network stack does not merge them. */
const PACKET_INTERVAL_MS = 50;

let count = 0;

/** Starts a receiver that sends the n-th response to a request for `/n`. @returns its URL without the path */
async function listen(): Promise<string> {
  const target = await RawTarget.start();
  target.defaultResponder = (socket, { head }) => {
    count += 1;
    target.requests.length = 0;
    const index = Number(/\/(\d+)/.exec(head[0]!)?.[1] ?? 0);
    void send(socket, benchResponses[index]!);
  };
  return new URL(target.url).origin;
}

async function send(socket: Socket, { bytes, isTrickled }: BenchResponse): Promise<void> {
  if (!isTrickled) return void socket.end(bytes);
  socket.setNoDelay(true);
  for (const byte of bytes) {
    if (!socket.writable) return;
    socket.write(Buffer.of(byte));
    await sleep(PACKET_INTERVAL_MS);
  }
  socket.end();
}

serve({ listen, count: () => count });
