import { createHash } from 'node:crypto';
import { LoginAttemptsRepository, type Database } from '@gatehouse/persistence';
import { Keyring, sha256 } from '@gatehouse/platform';
import { selectDecoy } from '../../apps/api/src/passwords/password-check.service.js';
import { connectDatabase } from '../support/connect-database.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let database: Database;
let attempts: LoginAttemptsRepository;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  database = await connectDatabase(instance);
  attempts = new LoginAttemptsRepository(database);
});
afterAll(async () => {
  await database?.close();
  await instance?.stop();
});

// With a fixed key and fixed ids, every run selects the same decoys.
const keyring = new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']);
const fixedId = (text: string): string => {
  const hex = createHash('md5').update(text).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
const PROJECTS = { large: fixedId('large'), small: fixedId('small'), other: fixedId('other') };

/** Creates a project with `schemes[name]` customers per scheme. Their hashes contain only the scheme name. */
async function createProject(id: string, schemes: Record<string, number>): Promise<void> {
  await instance.sql(`INSERT INTO projects (id, organization_id, name, slug) VALUES ($1, $2, 'Decoys', $3)`, [
    id,
    instance.credentials.organizationId,
    `decoys-${id}`,
  ]);
  const hashes = Object.entries(schemes).flatMap(([hash, count]) => Array<string>(count).fill(hash));
  const customers = hashes.map((hash, index) => ({
    id: fixedId(`${id} ${index}`),
    email: `${index}@example.com`,
    hash: hash === 'none' ? null : hash,
  }));
  await instance.sql(
    `INSERT INTO customers (id, project_id, email, password_hash)
     SELECT id, $1, email, hash FROM json_to_recordset($2) AS c (id uuid, email text, hash text)`,
    [id, JSON.stringify(customers)],
  );
}

const limits = { quota: 10, windowSeconds: 900, maxWindowSeconds: 900, addressBlock: null };

/** Returns the hash on which the decoy for an email is based. */
async function findDecoy(projectId: string, email: string): Promise<string | null> {
  const attempt = { ...limits, email, emailHash: sha256(email) };
  const { decoyHash } = await attempts.reserve(projectId, attempt, selectDecoy(keyring, 'fixed', email));
  return decoyHash;
}

/** Returns each decoy's percentage among unknown emails. */
async function decoyShares(projectId: string, count: number): Promise<Record<string, number>> {
  const emails = Array.from({ length: count }, (_, index) => `unknown-${index}@example.com`);
  const shares: Record<string, number> = {};
  await runInChunks(emails, async (email) => {
    const decoy = String(await findDecoy(projectId, email));
    shares[decoy] = (shares[decoy] ?? 0) + 100 / count;
    return [];
  });
  return shares;
}

it("OP-03: the decoys for unknown emails are distributed like the project's hashes", async () => {
  const schemes = { own: 200, argon2id: 120, 'bcrypt 14': 60, pbkdf2: 20, none: 300 };
  await createProject(PROJECTS.large, schemes);
  const large = await decoyShares(PROJECTS.large, 600);
  for (const [scheme, share] of Object.entries({ own: 50, argon2id: 30, 'bcrypt 14': 15, pbkdf2: 5 }))
    expect([scheme, Math.abs(large[scheme]! - share) < 4]).toEqual([scheme, true]);
  expect(large['null']).toBeUndefined();

  await createProject(PROJECTS.small, { own: 1, argon2id: 1, pbkdf2: 1 });
  const small = await decoyShares(PROJECTS.small, 300);
  for (const scheme of ['own', 'argon2id', 'pbkdf2'])
    expect([scheme, Math.abs(small[scheme]! - 100 / 3) < 5]).toEqual([scheme, true]);
});

it("OP-03: an email's decoy changes only if the hash on which it is based is replaced", async () => {
  await createProject(PROJECTS.other, { argon2id: 12, 'bcrypt 14': 12 });
  const emails = Array.from({ length: 60 }, (_, index) => `unknown-${index}@example.com`);
  const findAll = () => Promise.all(emails.map((email) => findDecoy(PROJECTS.other, email)));
  const before = await findAll();
  expect(await findAll()).toEqual(before);
  // Five customers sign in, which replaces their hashes.
  await instance.sql(
    `UPDATE customers SET password_hash = 'own'
     WHERE project_id = $1 AND email IN ('0@example.com', '1@example.com', '2@example.com', '12@example.com', '13@example.com')`,
    [PROJECTS.other],
  );
  const after = await findAll();
  const changes = after.map((decoy, index) => [before[index], decoy]).filter(([from, to]) => from !== to);
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.every(([, to]) => to === 'own')).toBe(true);
});

it('OP-03: a project without passwords does not use decoys', async () => {
  await createProject(fixedId('empty'), { none: 3 });
  expect(await findDecoy(fixedId('empty'), 'unknown@example.com')).toBeNull();
});
