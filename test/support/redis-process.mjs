import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';

/** True if the tests can start their own Redis server. */
export const hasRedisServer = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'redis-server')));

/**
 * Starts a Redis server on loopback without persistence.
 * @param {Record<string, string | number>} options the options in redis.conf
 * @param {import('node:child_process').SpawnOptions} [spawnOptions]
 */
export function spawnRedis(options, spawnOptions) {
  const all = { bind: '127.0.0.1', save: '', appendonly: 'no', ...options };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spawn('redis-server', args, { stdio: 'ignore', ...spawnOptions });
}

/**
 * Sends one inline command (Redis protocol).
 * @param {number} port
 * @param {string} text
 * @returns {Promise<string>} the beginning of the response, or "" if there is none
 */
export function redisCommand(port, text) {
  const socket = connect(port, '127.0.0.1', () => socket.write(`${text}\r\n`));
  return new Promise((resolve) => {
    socket.once('data', (data) => resolve(data.toString().trim()));
    for (const event of ['error', 'close']) socket.once(event, () => resolve(''));
  }).finally(() => socket.destroy());
}
