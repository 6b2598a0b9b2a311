import { createHmac } from 'node:crypto';
import bcrypt from 'bcrypt';
import { HashThreads } from './hash-threads.js';
import { Keyring } from './keyring.js';
import { PasswordHasher } from './password-hasher.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const next = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
const COST = 4;

describe('PasswordHasher', () => {
  const threads = new HashThreads(2, COST);
  const keyring = new Keyring([secret]);
  const hasher = new PasswordHasher(threads, keyring, COST);
  afterAll(() => threads.close());

  it('PW-06: at rest v1$<pepper id>$2b$<cost>$…', async () => {
    const hash = await hasher.hash('correct horse');
    expect(hash).toMatch(/^v1\$[0-9a-f]{8}\$2b\$04\$[./A-Za-z0-9]{53}$/);
    expect(hash.split('$')[1]).toBe(keyring.pepper().kid);
  });

  it('PW-06: is bcrypt over HMAC-SHA-384 with the pepper, 64 bytes of base64', async () => {
    const hash = await hasher.hash('correct horse');
    const input = createHmac('sha384', keyring.pepper().key).update('correct horse').digest('base64');
    expect(input).toHaveLength(64);
    expect(bcrypt.compareSync(input, hash.slice('v1$00000000'.length))).toBe(true);
  });

  it('PW-06: the same password never gives the same hash', async () => {
    expect(await hasher.hash('correct horse')).not.toBe(await hasher.hash('correct horse'));
  });

  it('takes the right password and no other', async () => {
    const hash = await hasher.hash('correct horse');
    await expect(hasher.verify('correct horse', hash)).resolves.toBe(true);
    for (const other of ['Correct horse', 'correct horse ', '', 'correct hors', 'correct horse\0x']) {
      await expect(hasher.verify(other, hash)).resolves.toBe(false);
    }
  });

  it('PW-02: a difference behind the 72nd byte counts', async () => {
    const shared = 'x'.repeat(72);
    const hash = await hasher.hash(`${shared}a`);
    await expect(hasher.verify(`${shared}a`, hash)).resolves.toBe(true);
    await expect(hasher.verify(`${shared}b`, hash)).resolves.toBe(false);
    await expect(hasher.verify(shared, hash)).resolves.toBe(false);
  });

  it('PW-02: the last of 128 emoji counts', async () => {
    const hash = await hasher.hash('🦄'.repeat(128));
    await expect(hasher.verify(`${'🦄'.repeat(127)}🐴`, hash)).resolves.toBe(false);
  });

  it('PW-01: both Unicode forms of a password are the same password', async () => {
    const hash = await hasher.hash('cafe\u0301 au lait');
    await expect(hasher.verify('caf\u00e9 au lait', hash)).resolves.toBe(true);
    await expect(hasher.verify('cafe au lait', hash)).resolves.toBe(false);
  });

  it('PW-03: a NUL inside ends nothing', async () => {
    const hash = await hasher.hash('before\0after');
    await expect(hasher.verify('before\0other', hash)).resolves.toBe(false);
  });

  it('PW-08: without a hash it answers false, also for the empty password', async () => {
    await expect(hasher.verify('correct horse', null)).resolves.toBe(false);
    await expect(hasher.verify('', null)).resolves.toBe(false);
  });

  it('PW-08: without a hash as much is hashed as with one', async () => {
    const tasks: unknown[] = [];
    const counting = { run: (task: unknown) => (tasks.push(task), threads.run(task as never)) };
    const watched = new PasswordHasher(counting as HashThreads, keyring, COST);
    await watched.warmUp();
    tasks.length = 0;
    await watched.verify('correct horse', null);
    await watched.verify('correct horse', await hasher.hash('battery'));
    expect(tasks).toEqual([
      { input: expect.any(String), hash: expect.stringMatching(/^\$2b\$04\$/) },
      { input: expect.any(String), hash: expect.stringMatching(/^\$2b\$04\$/) },
    ]);
  });

  it('a decoy that could not be made is made again the next time', async () => {
    let fails = true;
    const flaky = {
      run: (task: unknown) => (fails ? Promise.reject(new Error('full')) : threads.run(task as never)),
    };
    const watched = new PasswordHasher(flaky as HashThreads, keyring, COST);
    await expect(watched.verify('correct horse', null)).rejects.toThrow('full');
    fails = false;
    await expect(watched.verify('correct horse', null)).resolves.toBe(false);
  });

  it.each([
    'correct horse',
    '',
    '$2b$04$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'v2$00000000$2b$04$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  ])('PW-06: refuses to compare with the malformed %j', async (stored) => {
    await expect(hasher.verify('correct horse', stored)).rejects.toThrow('malformed');
  });

  it('PW-07: knows a hash with another cost or pepper', async () => {
    const hash = await hasher.hash('correct horse');
    expect(hasher.isOutdated(hash)).toBe(false);
    expect(new PasswordHasher(threads, keyring, COST + 1).isOutdated(hash)).toBe(true);
    expect(new PasswordHasher(threads, new Keyring([next, secret]), COST).isOutdated(hash)).toBe(true);
    expect(hasher.isOutdated('something else')).toBe(true);
  });

  it('CF-04: a new pepper in front of the ring locks nobody out', async () => {
    const hash = await hasher.hash('correct horse');
    const rotated = new PasswordHasher(threads, new Keyring([next, secret]), COST);
    await expect(rotated.verify('correct horse', hash)).resolves.toBe(true);
    await expect(
      new PasswordHasher(threads, new Keyring([next]), COST).verify('correct horse', hash),
    ).rejects.toThrow('no entry of GATEHOUSE_SECRET');
  });
});
