import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportedCustomer } from '@gatehouse/server';
import { IdentitySlugs } from '../../import/identity-slugs.js';
import type { SourceRecord } from '../../import/source.js';
import { auth0 as auth0Source } from '../../import/sources/auth0.js';
import { keycloak as keycloakSource } from '../../import/sources/keycloak.js';
import { kratos as kratosSource } from '../../import/sources/kratos.js';
import { supabase as supabaseSource } from '../../import/sources/supabase.js';
import { parsePortableHash } from '../portable-hash.js';
import { TargetFolder } from '../target-folder.js';
import type { Difference, ExportTarget } from '../target.js';
import { targets } from '../targets.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-targets-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const readers: Record<string, (files: string[]) => AsyncIterable<SourceRecord>> = {
  auth0: (files) => auth0Source.read(files, { values: {} }),
  keycloak: (files) => keycloakSource.read(files, { values: { rpId: 'example.com' } }),
  kratos: (files) => kratosSource.read(files, { values: { rpId: 'example.com' } }),
  supabase: (files) => supabaseSource.read(files, { values: {} }),
};

const ID = '019aa2c0-7d1e-7000-8000-000000000001';

const BCRYPT = `$2b$10$${'a'.repeat(53)}`;
const [SALT, HASH] = ['0123456789abcdef', '0123456789abcdef0123'].map((text) =>
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
);

/** A customer without optional values. */
const bare: ExportedCustomer = {
  ...{ id: ID, projectId: ID, email: 'ada@example.com', emailVerified: false },
  ...{ firstName: null, lastName: null, locale: null, imageUrl: null, externalId: null },
  ...{ metadata: {}, publicMetadata: {}, mfa: 'inherit', disabledAt: null },
  ...{ createdAt: '2021-03-04T05:06:07.089Z', updatedAt: '2022-03-04T05:06:07.089Z', lastLoginAt: null },
};

const passkey = (userHandle: string) => ({
  ...{ rpId: 'example.com', credentialId: 'Y3JlZA', publicKey: 'cHVibGlj' },
  userHandle: Buffer.from(userHandle).toString('base64url'),
  ...{ counter: 7, transports: ['internal'], name: 'Phone', createdAt: '2023-03-04T05:06:07.089Z' },
  aaguid: '01020304-0506-0708-090a-0b0c0d0e0f10',
  ...{ deviceType: 'singleDevice', backedUp: false, lastUsedAt: '2024-03-04T05:06:07.089Z' },
});

/** Values of each field, with the result for each system: equal, changed or left out. */
const table: [field: keyof ExportedCustomer, value: unknown, results: Record<string, string>][] = [
  ['id', ID, row('changed', 'equal', 'equal', 'equal')],
  ['email', 'ada@example.com', row('equal', 'equal', 'equal', 'equal')],
  ['emailVerified', true, row('equal', 'equal', 'equal', 'equal')],
  ['firstName', 'Ada', row('equal', 'equal', 'equal', 'equal')],
  ['lastName', 'Lovelace', row('equal', 'equal', 'equal', 'equal')],
  ['locale', 'de-AT', row('left_out', 'equal', 'changed', 'changed')],
  ['externalId', 'auth0|1', row('equal', 'changed', 'equal', 'changed')],
  ['externalId', 'crm-1', row('changed', 'changed', 'equal', 'changed')],
  ['externalId', 'oidc|crm|1', row('left_out', 'changed', 'equal', 'changed')],
  ['metadata', { plan: 'pro', tags: ['a', 'b'] }, row('equal', 'equal', 'equal', 'equal')],
  ['metadata', { seats: 3, deep: { list: [null] } }, row('equal', 'changed', 'equal', 'equal')],
  [
    'metadata',
    { email: 'x', provider: 'x', user_id: 'x', none: '' },
    row('left_out', 'left_out', 'equal', 'left_out'),
  ],
  ['publicMetadata', { color: 'green' }, row('equal', 'changed', 'equal', 'equal')],
  ['metadata', { list: [{ 'a.b': 1 }] }, row('left_out', 'changed', 'equal', 'equal')],
  ['publicMetadata', { a$: 'x' }, row('left_out', 'changed', 'equal', 'equal')],
  ['publicMetadata', { email: 'x', sub: 'x' }, row('equal', 'left_out', 'equal', 'left_out')],
  ['mfa', 'required', row('left_out', 'equal', 'left_out', 'left_out')],
  ['disabledAt', '2022-01-02T03:04:05.000Z', row('changed', 'changed', 'changed', 'changed')],
  ['createdAt', bare.createdAt, row('left_out', 'equal', 'left_out', 'equal')],
  ['updatedAt', bare.updatedAt, row('left_out', 'left_out', 'left_out', 'equal')],
  ['lastLoginAt', '2024-01-02T03:04:05.000Z', row('left_out', 'left_out', 'left_out', 'equal')],
  ['totpSecret', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', row('equal', 'equal', 'equal', 'equal')],
  ['passwordHash', BCRYPT, row('equal', 'left_out', 'equal', 'equal')],
  ['passwordHash', `$argon2id$v=19$m=64,t=2,p=1$${SALT}$${HASH}`, row('equal', 'equal', 'equal', 'equal')],
  ['passwordHash', `$pbkdf2-sha1$i=7$${SALT}$${HASH}`, row('equal', 'equal', 'equal', 'left_out')],
  ['passwordHash', `pbkdf2_sha256$7$salt$${HASH}=`, row('equal', 'equal', 'equal', 'left_out')],
  ['passwordHash', `$scrypt$ln=4,r=8,p=2$${SALT}$${HASH}`, row('equal', 'left_out', 'equal', 'left_out')],
  ['passwordHash', `v1$01234567${BCRYPT}`, row('left_out', 'left_out', 'left_out', 'left_out')],
  ['passkeys', [passkey(ID)], row('left_out', 'changed', 'changed', 'left_out')],
  ['passkeys', [{ ...passkey(ID), lastUsedAt: undefined }], row('left_out', 'changed', 'equal', 'left_out')],
  ['passkeys', [passkey('other')], row('left_out', 'left_out', 'changed', 'left_out')],
  ['passkeys', [passkey('one'), passkey('two')], row('left_out', 'left_out', 'left_out', 'left_out')],
  ['identities', [{ provider: 'google', subject: 'g-1' }], row('left_out', 'equal', 'equal', 'equal')],
  ['identities', [{ provider: 'microsoft', subject: 'm-1' }], row('left_out', 'left_out', 'equal', 'equal')],
  ['identities', [{ provider: 'acme', subject: 'a-1' }], row('left_out', 'left_out', 'left_out', 'left_out')],
  ['imageUrl', 'https://example.com/ada.png', row('equal', 'left_out', 'left_out', 'left_out')],
];

function row(auth0: string, keycloak: string, kratos: string, supabase: string): Record<string, string> {
  return { auth0, keycloak, kratos, supabase };
}

/** Exports a customer, and imports the files. */
async function roundTrip(target: ExportTarget, customer: ExportedCustomer) {
  const path = mkdtempSync(join(folder, `${target.name}-`));
  const output = new TargetFolder(path, target.files);
  await output.create(false);
  const providers = new Map(Object.entries(target.providers));
  const { records, differences } = target.convert(customer, { providers, values: {} });
  await output.write(records);
  const files = (await output.finish()).map((name) => join(path, name));
  const imported: SourceRecord[] = [];
  const slugs = new IdentitySlugs(new Map([...providers].map(([slug, name]) => [name, slug])), null);
  for await (const record of readers[target.name]!(files)) imported.push(slugs.resolve(record));
  expect(imported).toHaveLength(1);
  const { id: _, createdAt: __, updatedAt: ___, ...defaults } = bare;
  return { imported: { ...defaults, ...imported[0]!.customer } as ExportedCustomer, differences };
}

/** Returns the fields other than `field` that have changed without a reported difference. */
function listUnreported(
  field: string,
  imported: ExportedCustomer,
  differences: readonly Difference[],
): string[] {
  // A value can move to another field, and an import always sets the externalId.
  const isMoved = differences.some(
    (difference) => difference.field === field && difference.result === 'changed',
  );
  return Object.entries(imported)
    .filter(([name, value]) => name !== field && !isEqual(bare[name as keyof ExportedCustomer], value))
    .map(([name]) => name)
    .filter((name) => !isMoved && name !== 'externalId' && !differences.some((each) => each.field === name));
}

/** Returns `equal`, the reported result, or `lost` if a difference is not reported. */
function resultOf(
  field: string,
  before: unknown,
  after: unknown,
  differences: readonly Difference[],
): string {
  const name = field === 'identities' ? 'identity ' : field;
  const named = differences.filter((difference) => difference.field.startsWith(name));
  const isLeftOut = named.some(({ result }) => result === 'left_out');
  if (isLeftOut) return 'left_out';
  const isSame =
    field === 'passwordHash'
      ? isEqual(parsePortableHash(String(before)), parsePortableHash(String(after)))
      : isEqual(before, after);
  return isSame ? 'equal' : (named[0]?.result ?? 'lost');
}

function isEqual(before: unknown, after: unknown): boolean {
  try {
    expect(after).toEqual(before);
    return true;
  } catch {
    return false;
  }
}

describe.each(targets.map((target) => [target.name, target] as const))('an export to %s', (name, target) => {
  it('exports and imports each field unchanged, or reports the difference', async () => {
    const results: [string, unknown, string][] = [];
    const unreported: string[][] = [];
    for (const [field, value] of table) {
      const customer = { ...bare, [field]: value };
      const { imported, differences } = await roundTrip(target, customer);
      unreported.push(listUnreported(field, imported, differences));
      results.push([field, value, resultOf(field, value, imported[field], differences)]);
    }
    expect(results).toEqual(table.map(([field, value, expected]) => [field, value, expected[name]]));
    expect(unreported.flat()).toEqual([]);
  });

  it("reports a remedy for each difference, without the customer's values", () => {
    for (const [field, value] of table) {
      const { differences } = target.convert(
        { ...bare, [field]: value },
        {
          ...{ providers: new Map(), values: {} },
        },
      );
      for (const { reason, remedy } of differences) {
        expect([reason, remedy]).toEqual([expect.stringMatching(/[^.]$/), expect.stringMatching(/[^.]$/)]);
        expect(`${reason} ${remedy}`).not.toContain(ID);
      }
    }
  });
});
