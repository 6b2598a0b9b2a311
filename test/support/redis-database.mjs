import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the URL of a Redis database that nothing else in this run uses: the one with the next free number.
 * @returns {Promise<string>}
 */
export async function redisDatabase() {
  const { TEST_FOLDER: folder = '', TEST_REDIS_URL: server = '', TEST_REDIS_DATABASES: count } = process.env;
  const isTaken = (number) =>
    mkdir(join(folder, `redis-${number}`)).then(
      () => false,
      (error) => {
        if (error.code === 'EEXIST') return true;
        throw error;
      },
    );
  let number = 1;
  while (await isTaken(number)) number += 1;
  const url = new URL(server);
  url.pathname = `/${number % Number(count)}`;
  return url.href;
}
