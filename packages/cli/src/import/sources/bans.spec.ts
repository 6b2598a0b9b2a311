import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord } from '../source.js';
import { sources } from '../sources.js';
import { withoutBan } from '../without-ban.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-bans-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const email = 'ada@example.com';
const EARLY_UPDATE = '2020-01-01T00:00:00Z';

interface System {
  /** Returns the files with a user whose ban field has this value or is missing. */
  files: (state: Record<string, unknown>) => Record<string, unknown>;
  /** The field, with its values for a user who is not banned and for one who is. */
  states: [field: string, free: unknown[], banned: unknown[]];
  /** Values that do not state whether the user is banned. */
  unstated?: unknown[];
}

/** The systems that store bans. */
const systems: Record<string, System> = {
  auth0: {
    files: (state) => ({ users: [{ user_id: 'email|1', email, identities: [], ...state }] }),
    states: ['blocked', [false, 'false', null], [true, 'True', 1]],
  },
  'better-auth': {
    files: (state) => ({
      user: [{ id: '1', email, emailVerified: true, ...state }],
      account: [{ userId: '1', providerId: 'credential', accountId: '1' }],
    }),
    states: ['banned', [false, '0', null], [true, 't', '1']],
  },
  clerk: {
    files: (state) => ({
      users: [{ id: 'user_1', email_addresses: [{ id: '1', email_address: email }], ...state }],
    }),
    states: ['banned', [false, 'false'], [true, 'yes']],
  },
  cognito: {
    files: (state) => ({
      users: {
        Users: [
          { Username: '1', UserStatus: 'CONFIRMED', Attributes: [{ Name: 'email', Value: email }], ...state },
        ],
      },
    }),
    states: ['Enabled', [true, 'true'], [false, 'False']],
  },
  firebase: {
    files: (state) => ({ users: { users: [{ localId: '1', email, ...state }] } }),
    states: ['disabled', [false, 'false'], [true, 'true']],
  },
  kratos: {
    files: (state) => ({ identities: [{ id: '1', traits: { email }, credentials: {}, ...state }] }),
    states: ['state', ['active'], ['inactive']],
  },
  logto: {
    files: (state) => ({ users: [{ id: '1', primaryEmail: email, ...state }] }),
    states: ['isSuspended', [false, 'f'], [true, 'TRUE']],
    unstated: [null, ''],
  },
};

/**
 * Returns the state that the source reads for a user: banned, free or unknown; null for a user who is not imported.
 */
async function readState(name: string, state: Record<string, unknown>): Promise<string | null> {
  const paths = Object.entries(systems[name]!.files({ updated_at: EARLY_UPDATE, ...state })).map(
    ([file, content]) => {
      const path = join(folder, `${name}-${file}.json`);
      writeFileSync(path, JSON.stringify(content));
      return path;
    },
  );
  const records: SourceRecord[] = [];
  for await (const record of sources.find((each) => each.name === name)!.read(paths, { values: {} }))
    records.push(withoutBan(record));
  const [record] = records;
  if (!record?.customer) return null;
  const { disabledAt } = record.customer;
  return disabledAt === undefined ? 'unknown' : disabledAt === null ? 'free' : 'banned';
}

describe.each(Object.entries(systems))(
  'an import from %s',
  (name, { states: [field, free, banned], unstated = [] }) => {
    it('reads bans; an update enables only users who are not banned', async () => {
      for (const value of free)
        expect([value, await readState(name, { [field]: value })]).toEqual([value, 'free']);
      for (const value of banned)
        expect([value, await readState(name, { [field]: value })]).toEqual([value, 'banned']);
      for (const value of unstated)
        expect([value, await readState(name, { [field]: value })]).toEqual([value, 'unknown']);
      expect(await readState(name, { [field]: 'maybe' })).toBeNull();
      // Firebase exports the field only for disabled users.
      expect(await readState(name, {})).toBe(name === 'firebase' ? 'free' : 'unknown');
    });
  },
);

it.each([
  ['supabase', 'id,email,banned_until\n1,ada@example.com,null\n', null],
  ['supabase', 'id,email\n1,ada@example.com\n', undefined],
  ['firebase', `1,${email},true${','.repeat(24)}`, undefined],
])(
  'reads bans from a CSV file from %s only if the file has the column for them: %j',
  async (name, content, disabledAt) => {
    const path = join(folder, 'users.csv');
    writeFileSync(path, content);
    for await (const record of sources.find((each) => each.name === name)!.read([path], { values: {} }))
      expect([record.customer?.email, withoutBan(record).customer?.disabledAt]).toEqual([email, disabledAt]);
  },
);
