// Plain JavaScript because a worker thread loads it without any TypeScript transform.
import { createCipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * Loaded by the first task. A thread is ended only after its task, because ending a thread while it loads
 * bcrypt crashes the process (its C++ code throws an exception that is not caught).
 */
let bcryptModule;
const bcrypt = () => (bcryptModule ??= createRequire(import.meta.url)('bcrypt'));

const scrypt = ({ N, r, p, salt }, input, length) =>
  scryptSync(input, salt, length, { N, r, p, maxmem: 128 * r * (N + p + 2) });

/** Derives the hash of a password with each scheme of imported-hash.ts. */
const derive = {
  argon2id: async ({ memoryKiB, passes, lanes, salt, hash }, password) => {
    // Loaded on demand, because it is large and many threads never need it.
    const { argon2id } = await import('hash-wasm');
    return argon2id({
      password,
      salt,
      memorySize: memoryKiB,
      iterations: passes,
      parallelism: lanes,
      hashLength: hash.length,
      outputType: 'binary',
    });
  },
  scrypt: (imported, password) => scrypt(imported, password, imported.hash.length),
  pbkdf2: ({ digest, iterations, salt, hash }, password) =>
    pbkdf2Sync(password, salt, iterations, hash.length, digest),
  // github.com/firebase/scrypt: the derived key encrypts the project's signer key, AES-256-CTR from zero.
  'firebase-scrypt': (imported, password) =>
    createCipheriv('aes-256-ctr', scrypt(imported, password, 32), Buffer.alloc(16)).update(
      imported.signerKey,
    ),
};

const matches = async (imported, password) => {
  // hash-wasm throws for an empty password, which no customer has.
  if (password === '') return false;
  if (imported.scheme === 'bcrypt') return bcrypt().compareSync(password, imported.hash);
  return timingSafeEqual(await derive[imported.scheme](imported, password), imported.hash);
};

/** @param {import('./hash-threads.js').HashTask} task */
export default async ({ input, cost, hash, imported, passwords }) => {
  if (!imported)
    return hash === undefined ? bcrypt().hashSync(input, cost) : bcrypt().compareSync(input, hash);
  for (const password of passwords) if (await matches(imported, password)) return true;
  return false;
};
