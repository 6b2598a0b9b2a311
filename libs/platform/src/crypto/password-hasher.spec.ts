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

  it('RL-03: reserve refuses for the project what hash would refuse', async () => {
    const busy = new HashThreads(1, 10);
    const watched = new PasswordHasher(busy, keyring, COST);
    expect(() => watched.reserve('a').release()).not.toThrow();
    const caller = { projectId: 'a' };
    const hash = await hasher.hash('x');
    const flood = Array.from({ length: 11 }, () => watched.hash('correct horse', caller));
    expect(() => watched.reserve('a')).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect(() => watched.reserve('b').release()).not.toThrow();
    await expect(watched.verify('correct horse', hash, caller)).rejects.toMatchObject({
      code: 'overloaded',
    });
    await Promise.all(flood);
    await busy.close();
  });

  describe('a hash from another system', () => {
    const bcryptHash = (password: string) => bcrypt.hashSync(password, COST);

    it('PW-07: is verified as it is, and the next login makes one of ours', async () => {
      const imported = hasher.importHash(bcryptHash('correct horse'));
      await expect(hasher.verify('correct horse', imported)).resolves.toBe(true);
      await expect(hasher.verify('correct hors', imported)).resolves.toBe(false);
      expect(hasher.isOutdated(imported)).toBe(true);
      const renewed = await hasher.hash('correct horse');
      expect(renewed).toMatch(/^v1\$/);
      expect(hasher.isOutdated(renewed)).toBe(false);
    });

    it('PW-06: lies sealed in the database, another time in other bytes', () => {
      const text = bcryptHash('correct horse');
      const imported = hasher.importHash(text);
      expect(imported).toMatch(/^i1\$[A-Za-z0-9+/]+={0,2}$/);
      const sealed = Buffer.from(imported.slice('i1$'.length), 'base64');
      expect(sealed.toString('latin1')).not.toContain(text.slice(-31));
      expect(keyring.decrypt('imported-password', 'i1', sealed)).toBe(text);
      expect(hasher.importHash(text)).not.toBe(imported);
    });

    it('PW-06: cannot be tried without the root secret, nor changed', async () => {
      const imported = hasher.importHash(bcryptHash('correct horse'));
      const stranger = new PasswordHasher(threads, new Keyring([next]), COST);
      await expect(stranger.verify('correct horse', imported)).rejects.toThrow(
        'no entry of GATEHOUSE_SECRET',
      );
      const sealed = Buffer.from(imported.slice('i1$'.length), 'base64');
      sealed[sealed.length - 1]! ^= 1;
      await expect(hasher.verify('correct horse', `i1$${sealed.toString('base64')}`)).rejects.toThrow();
      await expect(hasher.verify('correct horse', 'i1$')).rejects.toThrow('malformed');
    });

    it('CF-04: a new secret in front of the ring locks nobody out', async () => {
      const imported = hasher.importHash(bcryptHash('correct horse'));
      const rotated = new PasswordHasher(threads, new Keyring([next, secret]), COST);
      await expect(rotated.verify('correct horse', imported)).resolves.toBe(true);
    });

    it('PW-03: fits what was typed there, and its NFC form, but nothing else', async () => {
      const [typed, composed] = ['cafe\u0301 au lait', 'caf\u00e9 au lait'];
      const ofTyped = hasher.importHash(bcryptHash(typed));
      await expect(hasher.verify(typed, ofTyped)).resolves.toBe(true);
      await expect(hasher.verify('cafe au lait', ofTyped)).resolves.toBe(false);
      const ofComposed = hasher.importHash(bcryptHash(composed));
      await expect(hasher.verify(composed, ofComposed)).resolves.toBe(true);
      await expect(hasher.verify(typed, ofComposed)).resolves.toBe(true);
    });

    it('RL-03: weighs what it costs, twice where the password has two forms', async () => {
      const weights: unknown[] = [];
      const weighing = {
        run: (task: { weight: unknown }) => (weights.push(task.weight), Promise.resolve(true)),
      };
      const watched = new PasswordHasher(weighing as unknown as HashThreads, keyring, 10);
      const cost12 = watched.importHash(bcryptHash('x').replace('$04$', '$12$'));
      await watched.verify('cafe\u0301', cost12);
      await watched.verify('caf\u00e9', cost12);
      await watched.verify('x', watched.importHash(bcryptHash('x')));
      expect(weights).toEqual([8, 4, 1]);
    });

    it('is exported as it came', () => {
      const text = bcryptHash('correct horse');
      expect(hasher.exportHash(hasher.importHash(text))).toBe(text);
    });

    it('PW-06: a text that is no such hash is refused with a reason and never stored', () => {
      for (const text of [
        '',
        'correct horse',
        '$2b$15$' + '.'.repeat(53),
        hasher.importHash(bcryptHash('x')),
      ]) {
        expect(() => hasher.importHash(text)).toThrow(
          expect.objectContaining({
            code: 'validation_failed',
            details: {
              errors: [
                {
                  field: 'passwordHash',
                  code: 'invalid',
                  message: expect.stringMatching(/^passwordHash must /),
                },
              ],
            },
          }),
        );
      }
    });
  });

  describe('a hash of ours that was exported', () => {
    it('is taken back wherever its pepper is known, as it is', async () => {
      const hash = await hasher.hash('correct horse');
      expect(hasher.exportHash(hash)).toBe(hash);
      const other = new PasswordHasher(threads, new Keyring([next, secret]), COST);
      expect(other.importHash(hash)).toBe(hash);
      await expect(other.verify('correct horse', hash)).resolves.toBe(true);
    });

    it('is refused where nobody could ever log in with it, and where it would cost too much', async () => {
      const hash = await hasher.hash('correct horse');
      const stranger = new PasswordHasher(threads, new Keyring([next]), COST);
      for (const [who, text] of [
        [stranger, hash],
        [hasher, hash.replace('$04$', '$15$')],
        [hasher, hash.replace('$04$', '$99$')],
        [hasher, hash.slice(0, -1)],
      ] as const) {
        expect(() => who.importHash(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
      }
    });

    it('RL-03: weighs what it costs when that is more than here', async () => {
      const tasks: { weight?: number }[] = [];
      const weighing = { run: (task: object) => (tasks.push(task), Promise.resolve(true)) };
      const watched = new PasswordHasher(weighing as unknown as HashThreads, keyring, 10);
      const hash = await hasher.hash('correct horse');
      for (const cost of ['04', '10', '12']) await watched.verify('x', hash.replace('$04$', `$${cost}$`));
      expect(tasks.map(({ weight }) => weight)).toEqual([undefined, undefined, 4]);
    });

    it('fits its password also when its cost is higher than here', async () => {
      const dear = await new PasswordHasher(threads, keyring, 5).hash('correct horse');
      await expect(hasher.verify('correct horse', dear)).resolves.toBe(true);
      await expect(hasher.verify('correct hors', dear)).resolves.toBe(false);
    });
  });
});
