// Plain JavaScript, because worker threads load it without a TypeScript transform.
import {
  createCipheriv,
  createHmac,
  hash as digest,
  pbkdf2Sync,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * Loaded by the first task, because a thread is not terminated during a task. Terminating a thread while it loads
 * bcrypt crashes the process (its C++ code throws an uncaught exception).
 */
let bcryptModule;
const bcrypt = () => (bcryptModule ??= createRequire(import.meta.url)('bcrypt'));

const scrypt = ({ N, r, p, salt }, input, length) =>
  scryptSync(input, salt, length, { N, r, p, maxmem: 128 * r * (N + p + 2) });

/** @param name the hash-wasm function's name: `argon2id` or `argon2i` */
const argon2 =
  (name) =>
  async ({ memoryKiB, passes, lanes, salt, hash }, password) => {
    // Loaded on demand, because it is large and many threads never need it.
    const functions = await import('hash-wasm');
    return functions[name]({
      password,
      salt,
      memorySize: memoryKiB,
      iterations: passes,
      parallelism: lanes,
      hashLength: hash.length,
      outputType: 'binary',
    });
  };

const MD5_BYTES = 16;

/** The portable hash of phpass: repeated MD5 of the previous digest and the password. */
const phpass = ({ iterations, salt }, password) => {
  const bytes = Buffer.from(password);
  const input = Buffer.concat([Buffer.alloc(MD5_BYTES), bytes]);
  let result = digest('md5', Buffer.concat([salt, bytes]), 'buffer');
  for (let count = 0; count < iterations; count += 1) {
    result.copy(input);
    result = digest('md5', input, 'buffer');
  }
  return result;
};

const saltedSha = ({ digest: name, saltPosition, salt }, password) => {
  const bytes = Buffer.from(password);
  if (saltPosition === 'key') return createHmac(name, salt).update(bytes).digest();
  return digest(name, Buffer.concat(saltPosition === 'first' ? [salt, bytes] : [bytes, salt]), 'buffer');
};

/** The functions that derive a hash, for the schemes in imported-hash-parameters.ts. */
const derive = {
  argon2id: argon2('argon2id'),
  argon2i: argon2('argon2i'),
  scrypt: (imported, password) => scrypt(imported, password, imported.hash.length),
  pbkdf2: ({ digest: name, iterations, salt, hash }, password) =>
    pbkdf2Sync(password, salt, iterations, hash.length, name),
  // The derived key encrypts the project's signer key with AES-256-CTR and a zero counter (github.com/firebase/scrypt).
  'firebase-scrypt': (imported, password) =>
    createCipheriv('aes-256-ctr', scrypt(imported, password, 32), Buffer.alloc(16)).update(
      imported.signerKey,
    ),
  phpass,
  'salted-sha': saltedSha,
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
