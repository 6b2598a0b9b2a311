import { generateKeyPairSync } from 'node:crypto';
import { signingAlgorithms } from '@gatehouse/domain';
import type {
  NewSigningKey,
  SigningKeysRepository,
  StoredSigningKey,
  Transactions,
} from '@gatehouse/persistence';
import { Keyring, type Config } from '@gatehouse/platform';
import { JWKS_MAX_AGE_SECONDS, SigningKeyRing } from './signing-key-ring.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const older = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const newer = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';

/** An in-memory table with a clock that tests control. test/e2e tests the SQL. */
class FakeTable {
  time = 1_000 * DAY;
  rows: (Omit<StoredSigningKey, 'age'> & { activatesAt: number })[] = [];

  listAll(): Promise<StoredSigningKey[]> {
    const sorted = [...this.rows].sort((one, other) => other.activatesAt - one.activatesAt);
    return Promise.resolve(sorted.map((row) => ({ ...row, age: this.time - row.activatesAt })));
  }

  insert(_tx: unknown, key: NewSigningKey, delay: number, maxAge: number | null): Promise<Date | null> {
    if (maxAge !== null && this.rows.some(({ activatesAt }) => activatesAt > this.time - maxAge)) {
      return Promise.resolve(null);
    }
    const activatesAt = this.time + (this.rows.length > 0 ? delay : 0);
    this.rows.push({ ...key, activatesAt });
    return Promise.resolve(new Date(activatesAt));
  }

  addRsaKey(kid: string, rsaPrivateKey: Buffer): Promise<Buffer | null> {
    const row = this.rows.find((each) => each.kid === kid);
    if (row) row.rsaPrivateKey ??= rsaPrivateKey;
    return Promise.resolve(row?.rsaPrivateKey ?? null);
  }

  deleteRetired(after: number): Promise<void> {
    const successors = this.rows.filter(({ activatesAt }) => activatesAt <= this.time - after);
    const newest = Math.max(...successors.map(({ activatesAt }) => activatesAt));
    this.rows = this.rows.filter(({ activatesAt }) => activatesAt >= newest);
    return Promise.resolve();
  }
}

const transactions = { join: (work: (tx: null) => unknown) => work(null) } as unknown as Transactions;
const config = { signingKeys: { maxAge: 90 * DAY, reloadInterval: MINUTE } } as Config;

const createRing = (table: FakeTable, ...secrets: string[]): SigningKeyRing =>
  new SigningKeyRing(
    table as unknown as SigningKeysRepository,
    transactions,
    new Keyring(secrets.length > 0 ? secrets : [older]),
    config,
  );

const publishedKids = (ring: SigningKeyRing): unknown[] => ring.getJwks().keys.map(({ kid }) => kid);
/** Returns the two published `kid`s of each signing key. */
const pairs = (...kids: string[]): string[] => kids.flatMap((kid) => [kid, `${kid}-rsa`]);
const getSigners = (ring: SigningKeyRing): string[] =>
  signingAlgorithms.map((algorithm) => ring.getCurrentKey(algorithm).kid);

describe('SigningKeyRing', () => {
  let table: FakeTable;
  let ring: SigningKeyRing;
  let first: string;
  beforeEach(async () => {
    table = new FakeTable();
    ring = createRing(table);
    first = (await ring.load())!.kid;
  });

  it('TK-01: creates its first key, which signs immediately, and publishes only the public keys', async () => {
    expect(() => createRing(table).getCurrentKey('ES256')).toThrow('not loaded');
    expect(getSigners(ring)).toEqual(pairs(first));
    expect(await ring.load()).toBeNull();
    expect(table.rows).toHaveLength(1);
    const b64u = expect.stringMatching(/^[\w-]{43}$/) as string;
    // 2048 bits, the minimum in RFC 7518.
    const modulus = expect.stringMatching(/^[\w-]{342}$/) as string;
    expect(ring.getJwks().keys).toEqual([
      { kty: 'EC', crv: 'P-256', x: b64u, y: b64u, kid: first, use: 'sig', alg: 'ES256' },
      { kty: 'RSA', n: modulus, e: 'AQAB', kid: `${first}-rsa`, use: 'sig', alg: 'RS256' },
    ]);
  });

  it('publishes the next key well before its first use and retains the previous one', async () => {
    const { kid, activatesAt } = await ring.rotate({ atOnce: false });
    const ahead = activatesAt.getTime() - table.time;
    // By then, every replica must have loaded it and every client must have refreshed its cached keys. jose caches keys
    // for 10 minutes regardless of the header.
    expect(ahead).toBeGreaterThan(MINUTE + Math.max(JWKS_MAX_AGE_SECONDS * 1000, 10 * MINUTE));

    await ring.load();
    expect(publishedKids(ring)).toEqual(pairs(kid, first));
    expect(getSigners(ring)).toEqual(pairs(first));
    table.time += ahead - 1;
    await ring.load();
    expect(getSigners(ring)).toEqual(pairs(first));
    table.time += 1;
    await ring.load();
    expect(getSigners(ring)).toEqual(pairs(kid));
    expect(publishedKids(ring)).toEqual(pairs(kid, first));
  });

  it('retires a key only after the last token that it signed has expired', async () => {
    const { kid, activatesAt } = await ring.rotate({ atOnce: false });
    table.time = activatesAt.getTime() + DAY + 2 * MINUTE;
    await ring.load();
    expect(ring.find(first)).toBeDefined();
    table.time = activatesAt.getTime() + DAY + 61 * MINUTE;
    await ring.load();
    expect(ring.find(first)).toBeUndefined();
    expect(publishedKids(ring)).toEqual(pairs(kid));
    expect(table.rows).toHaveLength(1);
  });

  it('creates one successor when the newest key reaches its maximum age', async () => {
    table.time += 90 * DAY - 1;
    expect(await ring.load()).toBeNull();
    table.time += 1;
    const created = await ring.load();
    expect(created?.activatesAt.getTime()).toBeGreaterThan(table.time);
    expect(publishedKids(ring)).toEqual(pairs(created!.kid, first));
    expect(await ring.load()).toBeNull();
    expect(await createRing(table).load()).toBeNull();
  });

  it('reuses the same key object after a load, because cached tokens refer to it', async () => {
    const before = pairs(first).map((kid) => ring.find(kid));
    await ring.rotate({ atOnce: false });
    await ring.load();
    for (const [index, kid] of pairs(first).entries()) expect(ring.find(kid)).toBe(before[index]);
  });

  it('signs with an RSA key that it could not store because the row was just deleted', async () => {
    table.rows[0]!.rsaPrivateKey = null;
    table.addRsaKey = () => Promise.resolve(null);
    const other = createRing(table);
    await other.load();
    expect(getSigners(other)).toEqual(pairs(first));
  });

  it('still signs after the database clock is set back', async () => {
    table.time -= DAY;
    const other = createRing(table);
    await other.load();
    expect(getSigners(other)).toEqual(pairs(first));
  });

  it('CF-04: decrypts existing keys while the previous root secret stays in the keyring', async () => {
    const both = createRing(table, newer, older);
    await both.load();
    expect(both.find(first)!.publicKey.equals(ring.find(first)!.publicKey)).toBe(true);
    const { kid } = await both.rotate({ atOnce: false });
    await expect(createRing(table, newer).load()).rejects.toThrow('GATEHOUSE_SECRET');

    table.rows = table.rows.filter((row) => row.kid === kid);
    const alone = createRing(table, newer);
    await alone.load();
    expect(publishedKids(alone)).toEqual(pairs(kid));
  });

  it('CF-04: does not add a key if the root secret cannot decrypt the existing keys', async () => {
    table.time += 90 * DAY;
    table.rows[0]!.rsaPrivateKey = null;
    await expect(createRing(table, newer).load()).rejects.toThrow('GATEHOUSE_SECRET');
    expect(table.rows).toMatchObject([{ kid: first, rsaPrivateKey: null }]);
  });

  it('TK-01: does not trust a row that was modified in the database', async () => {
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    Object.assign(table.rows[0]!, { publicJwk: foreign });
    const reader = createRing(table);
    await reader.load();
    expect(reader.find(first)!.publicKey.equals(ring.find(first)!.publicKey)).toBe(true);
    expect(reader.getJwks()).toEqual(ring.getJwks());

    table.rows[0]!.kid = 'renamed';
    await expect(createRing(table).load()).rejects.toThrow();
  });
});
