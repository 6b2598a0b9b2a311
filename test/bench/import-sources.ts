import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { TestInstance } from '../support/test-instance.js';
import { printProgress } from './report.js';

/** A user of another system. */
interface User {
  index: number;
  id: string;
  email: string;
  passwordHash: string;
}

/** The files of a system: the first text of each, and that of each user. */
type Files = Record<string, { start?: string; write: (user: User) => string; end?: string }>;

const toLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** The exports of the systems, by the value of `--from`. */
const systems: Record<string, Files> = {
  gatehouse: {
    'customers.ndjson': {
      write: ({ id, email, passwordHash }) =>
        toLine({ email, passwordHash, externalId: id, emailVerified: true, metadata: { plan: 'pro' } }),
    },
  },
  auth0: {
    'users.json': {
      write: ({ id, email }) =>
        toLine({
          user_id: `auth0|${id}`,
          email,
          email_verified: true,
          name: 'Ada Lovelace',
          identities: [{ provider: 'auth0', user_id: id, connection: 'Users', isSocial: false }],
          app_metadata: { plan: 'pro' },
          created_at: '2021-03-04T05:06:07.000Z',
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
        'id,email,encrypted_password,email_confirmed_at,raw_app_meta_data,raw_user_meta_data,created_at\n',
      write: ({ id, email, passwordHash }) =>
        `${id},${email},${passwordHash},2021-03-04 05:06:07+00,"{""plan"": ""pro""}","{""name"": ""Ada Lovelace""}",2021-03-04 05:06:07+00\n`,
    },
    'identities.csv': {
      start: 'provider_id,user_id,provider\n',
      write: ({ id }) => `${id},${id},email\n`,
    },
  },
};

export interface SourceResult {
  system: string;
  perSecond: number;
  created: number;
}

/** Measures `gatehouse customers import` with the files of each system. */
export async function measureSources(
  instance: TestInstance,
  passwordHashes: string[],
  count: number,
): Promise<SourceResult[]> {
  const results: SourceResult[] = [];
  for (const [system, files] of Object.entries(systems)) {
    printProgress(`an import of the files of ${system}`);
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-import-'));
    try {
      const names = await writeExport(folder, files, passwordHashes, count);
      const started = performance.now();
      const created = await runImport(instance, folder, ['--from', system, ...names]);
      results.push({ system, created, perSecond: (created * 1_000) / (performance.now() - started) });
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  return results;
}

/** @returns the names of the files */
async function writeExport(
  folder: string,
  files: Files,
  passwordHashes: string[],
  count: number,
): Promise<string[]> {
  const domain = `${randomUUID()}.example`;
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const [name, { start = '', write, end = '' }] of Object.entries(files)) {
    const output = createWriteStream(join(folder, name));
    output.write(start);
    for (const [index, id] of ids.entries()) {
      const passwordHash = passwordHashes[index % passwordHashes.length]!;
      const text = write({ index, id, email: `customer-${index}@${domain}`, passwordHash });
      if (!output.write(text)) await once(output, 'drain');
    }
    output.end(end);
    await finished(output);
  }
  return Object.keys(files);
}

/** @returns the number of created customers */
async function runImport(instance: TestInstance, cwd: string, args: string[]): Promise<number> {
  const command = [resolve('packages/cli/dist/main.js'), '--json', 'customers', 'import', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd,
    env: { GATEHOUSE_URL: instance.baseUrl, GATEHOUSE_SECRET_KEY: instance.credentials.projectSecretKey },
  });
  return (JSON.parse(stdout) as { created: number }).created;
}
