import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import bcrypt from 'bcrypt';
import type { TestInstance } from '../support/test-instance.js';

/** A user in another system. */
interface User {
  index: number;
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  createdAt: Date;
  passwordHash: string;
}

/** A file that a system exports: its beginning, an entry for each user, and its end. */
interface ExportFile {
  /** The option that takes the file name. Default: a positional argument. */
  option?: string;
  start?: string;
  write: (user: User) => string;
  end?: string;
}

type Files = Record<string, ExportFile>;

const toLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Returns an element of a JSON array. All but the first one begin with a comma. */
const toItem = ({ index }: User, value: unknown): string =>
  `${index === 0 ? '' : ','}${JSON.stringify(value)}`;

const [signerKey, hash64] = [randomBytes(64).toString('base64'), randomBytes(64).toString('base64')];
const [salt, hash32] = [randomBytes(16).toString('base64'), randomBytes(32).toString('base64')];

/** The exports of all systems, by `--from` value. */
const systems: Record<string, Files> = {
  gatehouse: {
    'customers.ndjson': {
      write: ({ id, email, passwordHash }) =>
        toLine({ email, passwordHash, externalId: id, emailVerified: true, metadata: { plan: 'pro' } }),
    },
  },
  auth0: {
    'users.json': {
      write: ({ id, email, firstName, lastName, createdAt }) =>
        toLine({
          user_id: `auth0|${id}`,
          email,
          email_verified: true,
          blocked: false,
          name: `${firstName} ${lastName}`,
          identities: [{ provider: 'auth0', user_id: id, connection: 'Users', isSocial: false }],
          ...{ app_metadata: { plan: 'pro' }, user_metadata: {}, multifactor: [] },
          created_at: createdAt.toISOString(),
        }),
    },
    'passwords.json': {
      write: ({ id, email, passwordHash }) =>
        toLine({ _id: { $oid: id }, email, email_verified: true, passwordHash, connection: 'Users' }),
    },
  },
  supabase: {
    'users.csv': {
      start:
        'id,email,encrypted_password,email_confirmed_at,raw_app_meta_data,raw_user_meta_data,created_at,banned_until,deleted_at,is_anonymous,is_sso_user,role,is_super_admin\n',
      write: ({ id, email, firstName, lastName, createdAt, passwordHash }) => {
        const time = createdAt.toISOString().replace('T', ' ').replace('Z', '+00');
        return `${id},${email},${passwordHash},${time},"{""plan"": ""pro""}","{""name"": ""${firstName} ${lastName}""}",${time},,,f,f,authenticated,f\n`;
      },
    },
    'identities.csv': {
      start: 'provider_id,user_id,provider\n',
      write: ({ id }) => `${id},${id},email\n`,
    },
    'factors.csv': { start: 'user_id,factor_type,status,secret\n', write: () => '' },
  },
  clerk: {
    'users.csv': {
      start:
        'id,first_name,last_name,primary_email_address,verified_email_addresses,password_digest,password_hasher\n',
      write: ({ id, email, firstName, lastName, passwordHash }) =>
        `user_${id},${firstName},${lastName},${email},${email},${passwordHash},bcrypt\n`,
    },
    'users.json': {
      write: ({ id, email, firstName, lastName, createdAt }) =>
        toLine({
          id: `user_${id}`,
          first_name: firstName,
          last_name: lastName,
          primary_email_address: email,
          verified_email_addresses: [email],
          banned: false,
          external_accounts: [],
          private_metadata: { plan: 'pro' },
          created_at: createdAt.toISOString(),
        }),
    },
  },
  firebase: {
    'users.json': {
      start: '{"users":[',
      write: (user) =>
        toItem(user, {
          ...{ localId: user.id, email: user.email, emailVerified: true, passwordHash: hash64, salt },
          ...{
            displayName: `${user.firstName} ${user.lastName}`,
            createdAt: String(user.createdAt.getTime()),
          },
          customAttributes: '{"plan":"pro"}',
        }),
      end: ']}',
    },
    'hash-config.txt': {
      option: '--hash-config',
      start: `algorithm: SCRYPT, base64_signer_key: ${signerKey}, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14`,
      write: () => '',
    },
  },
  keycloak: {
    'users.json': {
      start: '{"realm":"acme","users":[',
      write: (user) =>
        toItem(user, {
          ...{ id: user.id, username: user.email, email: user.email, emailVerified: true, enabled: true },
          ...{
            firstName: user.firstName,
            lastName: user.lastName,
            createdTimestamp: user.createdAt.getTime(),
          },
          attributes: { plan: ['pro'] },
          credentials: [
            {
              type: 'password',
              secretData: JSON.stringify({ value: hash32, salt }),
              credentialData: JSON.stringify({ hashIterations: 210_000, algorithm: 'pbkdf2-sha512' }),
            },
          ],
        }),
      end: ']}',
    },
  },
  cognito: {
    'users.json': {
      start: '{"Users":[',
      write: (user) =>
        toItem(user, {
          Username: user.id,
          Attributes: Object.entries({
            ...{ sub: user.id, email: user.email, email_verified: 'true', 'custom:plan': 'pro' },
          }).map(([Name, Value]) => ({ Name, Value })),
          ...{ UserCreateDate: user.createdAt.toISOString(), Enabled: true, UserStatus: 'CONFIRMED' },
        }),
      end: ']}',
    },
  },
};

export interface SourceResult {
  perSecond: number;
  created: number;
}

export const systemNames = Object.keys(systems);

/** Number of different password hashes. An import verifies none of them. */
const HASHES = 200;

export const createPasswordHashes = (): string[] =>
  Array.from({ length: HASHES }, () => bcrypt.hashSync(randomUUID(), 4));

/**
 * Measures `gatehouse customers import` with a system's files.
 * @param checkout the folder of the command line that is measured
 */
export async function measureSource(
  instance: TestInstance,
  system: string,
  passwordHashes: string[],
  count: number,
  checkout = '.',
): Promise<SourceResult> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-import-'));
  try {
    const names = await writeExport(folder, systems[system]!, passwordHashes, count);
    const started = performance.now();
    const created = await runImport(instance, folder, checkout, ['--from', system, ...names]);
    return { created, perSecond: (created * 1_000) / (performance.now() - started) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const FIRST_NAMES = ['Ada', 'Alan', 'Barbara', 'Edsger', 'Frances', 'Grace', 'Hedy', 'Ken', 'Radia', 'Tony'];
const LAST_NAMES = [
  'Allen',
  'Dijkstra',
  'Hoare',
  'Hopper',
  'Lamarr',
  'Liskov',
  'Lovelace',
  'Perlman',
  'Turing',
];

/** Returns one of 90 equally frequent names. */
const pickName = (index: number): Pick<User, 'firstName' | 'lastName'> => ({
  firstName: FIRST_NAMES[(index * 7) % FIRST_NAMES.length]!,
  lastName: LAST_NAMES[(index * 5) % LAST_NAMES.length]!,
});

/** Returns the time at which a user was created. Exports are in creation order. */
const creationTime = (index: number): Date => new Date(Date.UTC(2021, 2, 4) + index * 61_000);

/** Returns a new email domain of typical length. */
export const newDomain = (): string => `${randomUUID().slice(0, 8)}.example`;

/** Writes an export. @returns the arguments with the file names */
async function writeExport(
  folder: string,
  files: Files,
  passwordHashes: string[],
  count: number,
): Promise<string[]> {
  const domain = newDomain();
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const [name, { start = '', write, end = '' }] of Object.entries(files)) {
    const output = createWriteStream(join(folder, name));
    output.write(start);
    for (const [index, id] of ids.entries()) {
      const passwordHash = passwordHashes[index % passwordHashes.length]!;
      const email = `customer-${index}@${domain}`;
      const text = write({
        index,
        id,
        email,
        passwordHash,
        createdAt: creationTime(index),
        ...pickName(index),
      });
      if (!output.write(text)) await once(output, 'drain');
    }
    output.end(end);
    await finished(output);
  }
  return Object.entries(files).flatMap(([name, { option }]) => (option ? [option, name] : [name]));
}

/** Runs an import. @returns the number of created customers */
async function runImport(
  instance: TestInstance,
  cwd: string,
  checkout: string,
  args: string[],
): Promise<number> {
  const command = [resolve(checkout, 'packages/cli/dist/main.js'), '--json', 'customers', 'import', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd,
    env: { GATEHOUSE_URL: instance.baseUrl, GATEHOUSE_SECRET_KEY: instance.credentials.projectSecretKey },
  }).catch((error: { code?: unknown; stdout: string }) => {
    // Cognito exports no passwords, which the command reports with exit code 1.
    if (error.code === 1) return error;
    throw error;
  });
  return (JSON.parse(stdout) as { created: number }).created;
}
