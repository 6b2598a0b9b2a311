import bcrypt from 'bcrypt';
import { argon2id } from 'hash-wasm';
import { pbkdf2Sync, randomUUID, scryptSync } from 'node:crypto';
import { expectStatus } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { day, createImportLine } from '../support/import-updates.js';
import { importLines, StreamingImport, toNdjson } from '../support/ndjson.js';
import { bearerHeader, PASSWORD, type TestInstance } from '../support/test-instance.js';
import type { Manifest, ProjectKeys } from './manifest.js';
import { send } from './requests.js';

/** Number of customers in a fixture. */
const CUSTOMERS = 2_000;
const DAY_MS = 86_400_000;

const FIRST_NAMES = [
  'Ada',
  'Benoît',
  'Carla',
  'Dmitri',
  'Esra',
  'Grace',
  'Ibrahim',
  'Jun',
  'Maya',
  'Noah',
  'Zoë',
];
const LAST_NAMES = [
  'Holm',
  'Laurent',
  'Moretti',
  'Okafor',
  'Ruiz',
  'Tanaka',
  'Virtanen',
  'Yılmaz',
  "O'Brien",
];

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Returns hashes for PASSWORD as other systems write them, with the lowest costs. */
async function foreignHashes(): Promise<Record<string, string>> {
  const salt = Buffer.from(randomUUID());
  const derived = pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256');
  const scrypt = scryptSync(PASSWORD, salt, 32, { N: 16, r: 8, p: 1 });
  return {
    bcrypt: await bcrypt.hash(PASSWORD, 4),
    argon2id: await argon2id({
      ...{ password: PASSWORD, salt, iterations: 1, parallelism: 1, memorySize: 64, hashLength: 32 },
      outputType: 'encoded',
    }),
    scrypt: `$scrypt$ln=4,r=8,p=1$${base64(salt)}$${base64(scrypt)}`,
    pbkdf2: `$pbkdf2-sha256$i=1000$${base64(salt)}$${base64(derived)}`,
    django: `pbkdf2_sha256$1000$${salt.toString()}$${derived.toString('base64')}`,
  };
}

/** Returns the import line for the customer with this number. Every fourth customer has a plain password. */
function customerLine(number: number, hashes: string[]): Record<string, unknown> {
  const firstName = FIRST_NAMES[number % FIRST_NAMES.length]!;
  const lastName = LAST_NAMES[number % LAST_NAMES.length]!;
  const createdAt = Date.now() - 2 * DAY_MS - number * 90 * 60_000;
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    email: `customer-${number}@example.com`,
    ...(number % 8 === 7 ? {} : { firstName, lastName }),
    ...(number % 2 === 0 ? { externalId: `crm-${number}` } : {}),
    emailVerified: number % 10 < 7,
    metadata: number % 3 === 0 ? { plan: number % 2 ? 'pro' : 'free', seats: number % 7 } : {},
    ...(number % 5 === 0 ? { publicMetadata: { locale: 'de', tags: ['beta', 'größer'] } } : {}),
    createdAt: time(createdAt),
    ...(number % 3 === 1 ? { lastLoginAt: time(createdAt + DAY_MS) } : {}),
    ...(number % 100 === 99 ? { disabledAt: time(Date.now() - DAY_MS) } : {}),
    ...(number % 4 === 0 ? { password: PASSWORD } : {}),
    ...(number % 4 === 1 ? { passwordHash: hashes[number % hashes.length] } : {}),
  };
}

/** Imports customers, so that there are CUSTOMERS altogether. */
export class ImportFiller {
  constructor(
    private readonly instance: TestInstance,
    private readonly projects: Manifest['projects'],
  ) {}

  /** Imports customers into all projects, with failed lines, an update and one interrupted import. */
  async importCustomers(): Promise<Omit<Manifest['customers'], 'native' | 'locked'>> {
    const formats = await foreignHashes();
    const hashes = [...Object.values(formats), ...Object.values(await foreignHashes())];
    const special = [
      ...Object.entries(formats).map(([name, passwordHash]) => ({
        email: `${name}@example.com`,
        passwordHash,
      })),
      { email: 'without-password@example.com', emailVerified: true },
      { email: 'unverified@example.com', password: PASSWORD },
      { email: 'disabled@example.com', password: PASSWORD, disabledAt: new Date().toISOString() },
    ];
    await this.import(this.projects[0], [
      ...special,
      { email: 'disabled@example.com' },
      { email: 'not an address' },
      { email: 'weak@example.com', password: 'password' },
    ]);
    await this.updateCustomers();
    await this.interruptImport();
    const lines = (from: number, count: number): object[] =>
      Array.from({ length: count }, (_, index) => customerLine(from + index, hashes));
    await this.import(this.projects[0], lines(0, 500));
    await this.import(this.projects[1], lines(500, 250));
    // Another project's external ids are reused: they are unique only within a project.
    const missing = CUSTOMERS - (await this.count());
    await this.import(this.projects[2], lines(0, missing));
    if ((await this.count()) !== CUSTOMERS) throw new Error('an import has created too few customers');
    return {
      imported: Object.fromEntries(Object.keys(formats).map((name) => [name, `${name}@example.com`])),
      withoutPassword: 'without-password@example.com',
      unverified: 'unverified@example.com',
      disabled: 'disabled@example.com',
    };
  }

  /** Imports customers again, with newer lines. Emits the events that describe the changes. */
  private async updateCustomers(): Promise<void> {
    const { secretKey } = this.projects[0];
    const lines = [
      createImportLine({ firstName: 'Ada' }),
      createImportLine({ firstName: 'Grace', updatedAt: day(3) }),
    ];
    const newer = lines.map((line) => ({ ...line, lastName: 'Hopper', updatedAt: day(2) }));
    for (const customers of [lines, newer])
      await send(this.instance, secretKey, 'POST', '/api/v1/customers/import', {
        ...{ customers, update: true, emitEvents: true },
      });
  }

  private async import({ projectId, secretKey }: ProjectKeys, customers: object[]): Promise<void> {
    const query = { projectId, importId: randomUUID() };
    expectStatus(200, await importLines(this.instance, toNdjson(customers), query, bearerHeader(secretKey)));
  }

  private async interruptImport(): Promise<void> {
    const { projectId, secretKey } = this.projects[1];
    const importId = randomUUID();
    const upload = new StreamingImport(this.instance, { projectId, importId }, secretKey);
    upload.send(
      toNdjson(Array.from({ length: 501 }, (_, index) => ({ email: `partial-${index}@example.com` }))),
    );
    const waitForState = (state: string, lines: number) =>
      eventually(`the import to be ${state}`, async () => {
        const rows = await this.instance.sql(
          `SELECT FROM imports WHERE id = $1 AND state = $2 AND last_line >= $3`,
          [importId, state, lines],
        );
        return rows.length > 0;
      });
    await waitForState('running', 500);
    upload.abort();
    await waitForState('interrupted', 500);
  }

  private async count(): Promise<number> {
    const [row] = await this.instance.sql<{ count: number }>('SELECT count(*)::int AS count FROM customers');
    return row!.count;
  }
}
