import { createHmac } from 'node:crypto';
import bcrypt from 'bcrypt';
import { defaultSettings } from '@gatehouse/domain';
import { HashThreads } from './hash-threads.js';
import { Keyring, UnreadableValueError } from './keyring.js';
import { PasswordHasher } from './password-hasher.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const next = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
const COST = 4;

describe('PasswordHasher', () => {
  const threads = new HashThreads(2, COST, 4_000);
  const keyring = new Keyring([secret]);
  const hasher = new PasswordHasher(threads, keyring, COST);
  const rotated = new PasswordHasher(threads, new Keyring([next, secret]), COST);
  const otherHasher = new PasswordHasher(threads, new Keyring([next]), COST);
  const portable = { id: 'p', settings: { ...defaultSettings, passwordHashing: 'portable' as const } };
  afterAll(() => threads.close());

  /** Asserts that a stored hash matches all passwords in `right` and none in `wrong`. */
  const expectMatches = async (hash: string, right: string[], wrong: string[] = [], verifier = hasher) => {
    for (const password of right) await expect(verifier.verify(password, hash)).resolves.toBe(true);
    for (const password of wrong) await expect(verifier.verify(password, hash)).resolves.toBe(false);
  };

  it('PW-06: stores v1$<pepper id>$2b$<cost>$…: salted bcrypt of a peppered HMAC', async () => {
    const hash = await hasher.hash('correct horse');
    expect(hash).toMatch(/^v1\$[0-9a-f]{8}\$2b\$04\$[./A-Za-z0-9]{53}$/);
    const { kid, key } = keyring.getCurrentPepper();
    expect(hash.split('$')[1]).toBe(kid);
    const input = createHmac('sha384', key).update('correct horse').digest('base64');
    expect(input).toHaveLength(64);
    expect(bcrypt.compareSync(input, hash.slice('v1$00000000'.length))).toBe(true);
    expect(await hasher.hash('correct horse')).not.toBe(hash);
  });

  it.each([
    [
      'a short ASCII password',
      'correct horse',
      ['Correct horse', 'correct horse ', '', 'correct hors', 'correct horse\0x'],
    ],
    ['PW-02: more than 72 bytes', `${'x'.repeat(72)}a`, [`${'x'.repeat(72)}b`, 'x'.repeat(72)]],
    ['PW-02: 128 emoji', '🦄'.repeat(128), [`${'🦄'.repeat(127)}🐴`]],
    ['PW-03: a NUL inside', 'before\0after', ['before\0other']],
  ])('accepts only the correct password: %s', async (_, password, others) => {
    await expectMatches(await hasher.hash(password), [password], others);
  });

  describe('in a project with portable hashes', () => {
    it('PW-06: stores $2b$<cost>$…, bcrypt of the NFC password, which any library verifies', async () => {
      const hash = await hasher.hashFor(portable, 'cafe\u0301 au lait');
      expect(hash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
      expect(bcrypt.compareSync('caf\u00e9 au lait', hash)).toBe(true);
      expect(hasher.exportHash(hash)).toBe(hash);
      for (const verifier of [hasher, otherHasher]) {
        await expectMatches(
          hash,
          ['caf\u00e9 au lait', 'cafe\u0301 au lait'],
          ['cafe au lait', ''],
          verifier,
        );
        expect(verifier.findProblem(hash)).toBeNull();
      }
      expect(await hasher.hashFor(portable, 'cafe\u0301 au lait')).not.toBe(hash);
      expect(await hasher.hashFor({ id: 'p', settings: defaultSettings }, 'x')).toMatch(/^v1\$/);
    });

    it('PW-02: rejects more than 72 bytes, even if the first 72 bytes match', async () => {
      const [longest, longer] = ['é'.repeat(36), 'é'.repeat(36) + 'x'];
      await expectMatches(await hasher.hashFor(portable, longest), [longest], [longer]);
      await expect(hasher.hashFor(portable, longer)).rejects.toMatchObject({
        code: 'weak_password',
        details: { members: { reasons: ['too_many_bytes'] } },
      });
    });

    it('PW-07: treats a hash with another scheme or cost as outdated, and ignores a new pepper', async () => {
      const [own, plain] = [await hasher.hash('x'), await hasher.hashFor(portable, 'x')];
      const imported = hasher.importHash(plain).stored;
      expect(imported).toMatch(/^i1\$/);
      const outdated = (hash: string, verifier = hasher) =>
        (['peppered', 'portable'] as const).filter((hashing) => verifier.isOutdated(hash, hashing));
      expect([own, plain, imported].map((hash) => outdated(hash))).toEqual([
        ['portable'],
        ['peppered'],
        ['peppered', 'portable'],
      ]);
      expect(outdated(plain, rotated)).toEqual(['peppered']);
      const costlier = new PasswordHasher(threads, keyring, COST + 1);
      expect(outdated(plain, costlier)).toEqual(['peppered', 'portable']);
    });

    it('OP-03, RL-03: runs a decoy with the same cost and weight, even for more than 72 bytes', async () => {
      const tasks: Record<string, any>[] = [];
      const recordingThreads = {
        run: (task: object) => (tasks.push(task), 'cost' in task ? threads.run(task as never) : true),
      };
      const recordedHasher = new PasswordHasher(recordingThreads as unknown as HashThreads, keyring, COST);
      await recordedHasher.warmUp();
      const hash = await hasher.hashFor(portable, 'x');
      const costly = hash.replace('$04$', '$06$');
      tasks.length = 0;
      await recordedHasher.verify('x', hash);
      await recordedHasher.verifyDecoy('x', hash);
      await expect(recordedHasher.verify('x'.repeat(73), hash)).resolves.toBe(false);
      await recordedHasher.verify('x', costly);
      await recordedHasher.verifyDecoy('x', costly);
      const decoy = { hash: expect.stringMatching(/^\$2b\$04\$/) };
      const costlyDecoy = { imported: { hash: expect.stringMatching(/^\$2b\$06\$/) }, weight: 4 };
      expect(tasks).toMatchObject([{ input: 'x', hash }, decoy, decoy, { weight: 4 }, costlyDecoy]);
      for (const task of [tasks[1], tasks[2], tasks[4]])
        expect(JSON.stringify(task)).not.toContain(hash.slice(-31));
    });
  });

  it('PW-01: treats both Unicode forms of a password as the same password', async () => {
    await expectMatches(await hasher.hash('cafe\u0301 au lait'), ['caf\u00e9 au lait'], ['cafe au lait']);
  });

  it('PW-08: returns false if there is no hash, after as much work as if there were one', async () => {
    const tasks: unknown[] = [];
    const recordingThreads = { run: (task: unknown) => (tasks.push(task), threads.run(task as never)) };
    const recordedHasher = new PasswordHasher(recordingThreads as HashThreads, keyring, COST);
    await recordedHasher.warmUp();
    tasks.length = 0;
    for (const password of ['correct horse', ''])
      await expect(recordedHasher.verify(password, null)).resolves.toBe(false);
    await recordedHasher.verify('correct horse', await hasher.hash('battery'));
    const compared = { input: expect.any(String), hash: expect.stringMatching(/^\$2b\$04\$/) };
    expect(tasks).toEqual([compared, compared, compared]);
  });

  it('PW-08: creates the dummy hash again after a failure', async () => {
    let fails = true;
    const failingThreads = {
      run: (task: unknown) => (fails ? Promise.reject(new Error('full')) : threads.run(task as never)),
    };
    const recordedHasher = new PasswordHasher(failingThreads as HashThreads, keyring, COST);
    await expect(recordedHasher.verify('correct horse', null)).rejects.toThrow('full');
    fails = false;
    await expect(recordedHasher.verify('correct horse', null)).resolves.toBe(false);
  });

  it.each([
    ['bcrypt', '$2b$12$nm6ytGrsYxBKGNOLgLNwM.nGkuz7CzYCpMTGUkaBxVMF8oPvHGbhC'],
    ['argon2id', '$argon2id$v=19$m=4096,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g'],
    ['scrypt', '$scrypt$ln=4,r=8,p=2$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g'],
    ['pbkdf2', '$pbkdf2-sha512$i=7$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g'],
    [
      'fbscrypt',
      '$fbscrypt$v=1,n=4,r=8,p=1,ss=Bw==,sk=aGFzaGhhc2hoYXNoaGFzaGhhc2g$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g',
    ],
    ['argon2i', '$argon2i$v=19$m=4096,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g'],
    ['phpass', '$P$B44iPs3V0/d42J83rtnf6f6K8b4y7F1'],
    ['WordPress bcrypt', '$wp$2y$12$nm6ytGrsYxBKGNOLgLNwM.nGkuz7CzYCpMTGUkaBxVMF8oPvHGbhC'],
    ['salted SHA', '{SSHA}bBHjaT+uAhoINXqegpHyGqbEF1BfK+V8'],
  ])(
    'OP-03: runs a decoy for %s with the same parameters and weight, but different bytes',
    async (_, text) => {
      const tasks: Record<string, any>[] = [];
      const recordingThreads = {
        run: (task: object) => (tasks.push(task), 'cost' in task ? threads.run(task as never) : true),
      };
      const recordedHasher = new PasswordHasher(recordingThreads as unknown as HashThreads, keyring, COST);
      const stored = recordedHasher.importHash(text, { allowFastHashes: true }).stored;
      await recordedHasher.verify('correct horse', stored);
      await recordedHasher.verifyDecoy('correct horse', stored);
      const secrets = ['salt', 'hash', 'signerKey'];
      const describeTask = ({ imported, ...task }: Record<string, any>) => ({
        ...task,
        ...imported,
        ...Object.fromEntries(
          secrets.filter((name) => imported[name]).map((name) => [name, imported[name].length]),
        ),
      });
      const [real, , decoy] = tasks as [Record<string, any>, unknown, Record<string, any>];
      expect(describeTask(decoy)).toEqual(describeTask(real));
      for (const name of secrets.filter((each) => real['imported'][each]))
        expect(decoy['imported'][name]).not.toEqual(real['imported'][name]);
    },
  );

  it("PW-08, OP-03: rejects every password in the same amount of time if a hash's secret is lost", async () => {
    const tasks: Record<string, any>[] = [];
    const recordingThreads = {
      run: (task: object) => (tasks.push(task), 'cost' in task ? threads.run(task as never) : true),
    };
    const recordedHasher = new PasswordHasher(
      recordingThreads as unknown as HashThreads,
      new Keyring([next]),
      COST,
    );
    await recordedHasher.warmUp();
    const own = await hasher.hash('correct horse');
    const imported = hasher.importHash(bcrypt.hashSync('correct horse', COST)).stored;
    const toBcrypt = (hash: string) => hash.slice('v1$00000000'.length);
    // The recording threads report every password as correct.
    for (const [hash, compared] of [
      [own, { hash: expect.stringMatching(/^\$2b\$04\$/) }],
      [own.replace('$04$', '$06$'), { imported: { hash: expect.stringMatching(/^\$2b\$06\$/) }, weight: 4 }],
      [imported, { hash: expect.stringMatching(/^\$2b\$04\$/) }],
    ] as const) {
      tasks.length = 0;
      await expect(recordedHasher.verify('correct horse', hash)).resolves.toBe(false);
      await recordedHasher.verifyDecoy('correct horse', hash);
      expect(tasks).toMatchObject([compared, compared]);
      expect(JSON.stringify(tasks)).not.toContain(toBcrypt(hash).slice(-31));
    }
  });

  it('PW-06: rejects malformed stored hashes', async () => {
    const plain = bcrypt.hashSync('correct horse', COST);
    const malformed = [
      ...['correct horse', '', 'i1$', `v2$00000000${plain}`],
      // A portable hash is accepted only in the exact format that Gatehouse creates.
      ...['2a', '2y', '2x'].map((version) => plain.replace('2b', version)),
      ...['03', '32', '4'].map((cost) => plain.replace('$04$', `$${cost}$`)),
      ...[plain.slice(0, -1), `${plain}.`, ` ${plain}`, `${plain}\n`, `$2b$04$${'a'.repeat(53)}`],
    ];
    for (const stored of malformed)
      await expect(hasher.verify('correct horse', stored)).rejects.toThrow('malformed');
  });

  it('PW-07: treats a hash with another cost or pepper as outdated', async () => {
    const hash = await hasher.hash('correct horse');
    expect(hasher.isOutdated(hash, 'peppered')).toBe(false);
    expect(new PasswordHasher(threads, keyring, COST + 1).isOutdated(hash, 'peppered')).toBe(true);
    expect(rotated.isOutdated(hash, 'peppered')).toBe(true);
    expect(hasher.isOutdated('something else', 'peppered')).toBe(true);
  });

  it('CF-04: accepts passwords after a secret is added, but not if the secret of their hash is missing', async () => {
    const own = await hasher.hash('correct horse');
    for (const hash of [own, hasher.importHash(bcrypt.hashSync('correct horse', COST)).stored]) {
      await expectMatches(hash, ['correct horse'], [], rotated);
      await expectMatches(hash, [], ['correct horse'], otherHasher);
      expect([hasher, rotated].map((each) => each.findProblem(hash))).toEqual([null, null]);
      expect(otherHasher.findProblem(hash)).toBeInstanceOf(UnreadableValueError);
    }
  });

  it('RL-03: rejects a reservation if a hash of the project would be rejected', async () => {
    const busy = new HashThreads(1, 10, 1_200);
    const recordedHasher = new PasswordHasher(busy, keyring, COST);
    const overloaded = expect.objectContaining({ code: 'overloaded' });
    expect(() => recordedHasher.reserve('a').release()).not.toThrow();
    const caller = { projectId: 'a' };
    const hash = await hasher.hash('x');
    const flood = Array.from({ length: 18 }, () => recordedHasher.hash('correct horse', caller));
    expect(() => recordedHasher.reserve('a')).toThrow(overloaded);
    expect(() => recordedHasher.reserve('b').release()).not.toThrow();
    await expect(recordedHasher.verify('correct horse', hash, caller)).rejects.toEqual(overloaded);
    await Promise.all(flood);
    await busy.close();
  });

  it('RL-03: weighs a hash by its cost, and doubles the weight of an imported hash with two password forms', async () => {
    const tasks: { weight?: number }[] = [];
    const recordingThreads = { run: (task: object) => (tasks.push(task), Promise.resolve(true)) };
    const recordedHasher = new PasswordHasher(recordingThreads as unknown as HashThreads, keyring, 10);
    const foreign = bcrypt.hashSync('x', COST);
    const cost12 = recordedHasher.importHash(foreign.replace('$04$', '$12$')).stored;
    await recordedHasher.verify('cafe\u0301', cost12);
    await recordedHasher.verify('caf\u00e9', cost12);
    await recordedHasher.verify('x', recordedHasher.importHash(foreign).stored);
    const own = await hasher.hash('correct horse');
    for (const cost of ['04', '10', '12']) await recordedHasher.verify('x', own.replace('$04$', `$${cost}$`));
    expect(tasks.map(({ weight }) => weight)).toEqual([8, 4, 1, undefined, undefined, 4]);
  });

  describe('a hash from another system', () => {
    const foreign = bcrypt.hashSync('correct horse', COST);

    it('PW-07: matches its password, is outdated, and is exported in its original form', async () => {
      const imported = hasher.importHash(foreign).stored;
      await expectMatches(imported, ['correct horse'], ['correct hors']);
      expect(hasher.isOutdated(imported, 'peppered')).toBe(true);
      expect(hasher.exportHash(imported)).toBe(foreign);
    });

    it('PW-06: gets a unique ciphertext, which becomes unreadable if it is modified', async () => {
      const imported = hasher.importHash(foreign).stored;
      expect(imported).toMatch(/^i1\$[A-Za-z0-9+/]+={0,2}$/);
      expect(hasher.importHash(foreign).stored).not.toBe(imported);
      const sealed = Buffer.from(imported.slice('i1$'.length), 'base64');
      expect(sealed.toString('latin1')).not.toContain(foreign.slice(-31));
      expect(keyring.decrypt('imported-password', 'i1', sealed)).toBe(foreign);
      sealed[sealed.length - 1]! ^= 1;
      const modified = `i1$${sealed.toString('base64')}`;
      await expectMatches(modified, [], ['correct horse']);
      expect(hasher.findProblem(modified)).toBeInstanceOf(UnreadableValueError);
    });

    it('PW-03: matches only the typed password and its NFC form', async () => {
      const [typed, composed] = ['cafe\u0301 au lait', 'caf\u00e9 au lait'];
      const imported = (password: string) => hasher.importHash(bcrypt.hashSync(password, COST)).stored;
      await expectMatches(imported(typed), [typed], ['cafe au lait']);
      await expectMatches(imported(composed), [composed, typed]);
    });

    it('PW-06: is rejected with a reason if it is not supported', () => {
      const field = 'passwordHash';
      const error = { field, code: 'invalid', message: expect.stringMatching(/^passwordHash must /) };
      const rejection = { code: 'validation_failed', details: { errors: [error] } };
      for (const text of ['', 'correct horse', `$2b$15$${'.'.repeat(53)}`, hasher.importHash(foreign).stored])
        expect(() => hasher.importHash(text)).toThrow(expect.objectContaining(rejection));
    });
  });

  describe('importHash, for an exported Gatehouse hash', () => {
    it('stores the hash unchanged if its pepper is known, even with a higher cost', async () => {
      const hash = await new PasswordHasher(threads, keyring, COST + 1).hash('correct horse');
      expect(hasher.exportHash(hash)).toBe(hash);
      expect(rotated.importHash(hash).stored).toBe(hash);
      await expectMatches(hash, ['correct horse'], ['correct hors'], rotated);
    });

    it('rejects the hash if its pepper is unknown, or if it is malformed or too expensive', async () => {
      const hash = await hasher.hash('correct horse');
      for (const [importer, text, code] of [
        [otherHasher, hash, 'unknown_pepper'],
        [hasher, hash.replace('$04$', '$15$'), 'invalid'],
        [hasher, hash.replace('$04$', '$99$'), 'invalid'],
        [hasher, hash.slice(0, -1), 'invalid'],
      ] as const)
        expect(() => importer.importHash(text)).toThrow(
          expect.objectContaining({
            code: 'validation_failed',
            details: { errors: [expect.objectContaining({ code })] },
          }),
        );
    });
  });
});
