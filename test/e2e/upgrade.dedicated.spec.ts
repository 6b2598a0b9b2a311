import { decodeProtectedHeader } from 'jose';
import pg from 'pg';
import { moveOwnership } from '../../scripts/database-roles.mjs';
import { OWNER_ROLE, roleUrls, RUNTIME_ROLE } from '../support/databases.mjs';
import { migrateDatabase } from '../support/migrate-database.js';
import { PostgresServer } from '../support/postgres-server.mjs';
import type { TestInstance } from '../support/test-instance.js';
import { upgradeChecks } from '../support/upgrade-checks.js';
import { UpgradedInstance } from '../support/upgraded-instance.js';
import type { DatabaseDump } from '../upgrade/database-dump.js';
import { readFixture } from '../upgrade/fixture.js';
import type { Manifest } from '../upgrade/manifest.js';
import { restore } from '../upgrade/restore.js';
import { nightlyIt } from '../support/is-nightly.js';

const VERSION = '0.1.0';
const DAY_MS = 86_400_000;

let upgrade: UpgradedInstance;
let manifest: Manifest;
let dump: DatabaseDump;
let instance: TestInstance;
beforeAll(async () => {
  upgrade = await UpgradedInstance.start(VERSION);
  ({ manifest, dump, instance } = upgrade);
});
afterAll(() => upgrade?.stop());

/** Returns the dump's rows of these tables only. */
const selectRows = (rows: string, tables: string[]): string =>
  rows.replace(/^INSERT INTO (\w+) .+\n(?:\(.*\n)+/gm, (statement, table: string) =>
    tables.includes(table) ? statement : '',
  );

describe('an embedded database of 0.1.0', () => {
  nightlyIt(
    'OP-05: is transferred from the superuser to the owner role at the next start, without loss',
    async () => {
      const server = await PostgresServer.start();
      const admin = async <Row extends object>(sql: string): Promise<Row[]> => {
        const client = new pg.Client({ connectionString: server.url });
        await client.connect();
        try {
          return (await client.query<Row>(sql)).rows;
        } finally {
          await client.end();
        }
      };
      const listOwners = async (): Promise<string[]> =>
        (
          await admin<{ owner: string }>(
            `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace
           UNION SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
             AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
           UNION SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'gatehouse'`,
          )
        ).map(({ owner }) => owner);
      try {
        // Restores the owner and the roles that 0.1.0 created.
        await admin('ALTER DATABASE gatehouse OWNER TO gatehouse');
        await admin(`DROP ROLE ${OWNER_ROLE}, ${RUNTIME_ROLE}`);
        await restore(server.url, { ...dump, rows: selectRows(dump.rows, ['organizations', 'migrations']) });
        expect(await listOwners()).toEqual(['gatehouse']);
        const count = 'SELECT count(*)::int AS organizations FROM organizations';
        const before = await admin(count);
        expect(before).toEqual([{ organizations: manifest.rowCounts['organizations'] }]);

        await server.stop();
        await server.start();
        expect(await listOwners()).toEqual([OWNER_ROLE]);
        await migrateDatabase(instance, roleUrls(server.url));
        expect(await admin(count)).toEqual(before);
        // Simulates that 0.1.0 has run once more and created a table.
        await admin('CREATE TABLE attempts_20990101 (LIKE attempts INCLUDING ALL)');
        expect((await listOwners()).sort()).toEqual(['gatehouse', OWNER_ROLE]);
        await moveOwnership(server.url);
        expect(await listOwners()).toEqual([OWNER_ROLE]);
        const runtime = new pg.Client({ connectionString: roleUrls(server.url).url });
        await runtime.connect();
        expect((await runtime.query(count)).rows).toEqual(before);
        await runtime.query(`SELECT drop_attempts_table('attempts_20990101')`);
        await expect(runtime.query('ALTER TABLE audit_log DISABLE TRIGGER ALL')).rejects.toMatchObject({
          code: '42501',
        });
        await runtime.end();
      } finally {
        await server.remove();
      }
    },
  );
});

describe('a database of 0.1.0', () => {
  it.each(upgradeChecks)('%s', (_, check) => check(upgrade));

  it('marks customers without a password as imported', async () => {
    const [row] = await instance.sql(
      `SELECT count(*) FILTER (WHERE imported)::int AS imported, bool_and(imported = (email LIKE 'customer-%' AND
         password_hash IS NULL)) AS "isCorrect" FROM customers`,
    );
    expect(manifest.rowCounts['customers']).toBe(10_000);
    expect(row).toEqual({ imported: 4718, isCorrect: true });
  });

  it('adds an RSA key to its signing key, which signs for a project with the algorithm RS256', async () => {
    const [project] = manifest.projects;
    const path = `/api/v1/projects/${project.projectId}`;
    const keys = await instance.sql('SELECT kid FROM signing_keys');
    const [{ kid }] = keys as [{ kid: string }];
    const jwks = await instance.request('GET', '/.well-known/jwks.json');
    expect(jwks.body.keys.map((key: { kid: string }) => key.kid)).toEqual([kid, `${kid}-rsa`]);
    await upgrade.withKey(project.secretKey, 'PATCH', path, { settings: { signingAlgorithm: 'RS256' } });
    const { body } = await upgrade.signIn(manifest.customers.native[0]!);
    await upgrade.withKey(project.secretKey, 'PATCH', path, { settings: { signingAlgorithm: null } });
    expect(decodeProtectedHeader(body.tokens.accessToken)).toMatchObject({ alg: 'RS256', kid: `${kid}-rsa` });
    expect((await upgrade.withKey(body.tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);
  });

  it('adds mailbox:read to the keys with customer:read', async () => {
    const [row] = await instance.sql(
      `SELECT count(*) FILTER (WHERE 'mailbox:read' = ANY (scopes))::int > 0 AS "isAdded",
         bool_and(('mailbox:read' = ANY (scopes)) = ('customer:read' = ANY (scopes))) AS "isCorrect" FROM api_keys`,
    );
    expect(row).toEqual({ isAdded: true, isCorrect: true });
  });
});

describe('readFixture', () => {
  it('shifts times and ids that contain a time, and leaves other ids unchanged', () => {
    const later = readFixture(VERSION, Date.now() + 400 * DAY_MS);
    const getTime = (id: string) => Number.parseInt(id.slice(4).replace('-', '').slice(0, 12), 16);
    const [id, shifted] = [manifest, later.manifest].map(({ deliveries }) => deliveries.due[0]!);
    expect(getTime(shifted!) - getTime(id!)).toBe(400 * DAY_MS);
    expect(later.dump.rows).toContain(shifted!.slice('dlv_'.length));
    expect(later.dump.rows).not.toContain(id!.slice('dlv_'.length));
    expect(later.manifest.projects).toEqual(manifest.projects);
    expect(later.dump.rows).toContain(manifest.endpoints.healthy.id.slice('ep_'.length));
  });
});
