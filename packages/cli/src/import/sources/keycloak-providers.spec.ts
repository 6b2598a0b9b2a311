import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdentitySlugs } from '../identity-slugs.js';
import { OTHER_IDS } from '../unusable-providers.js';
import type { SourceRecord } from '../source.js';
import { reasons } from '../reasons.js';
import { keycloak } from './keycloak.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-realm-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads a user with an account from the realm's only identity provider. */
async function readUser(
  provider: { alias: string; providerId: string; trustEmail?: unknown },
  isKnown = true,
): Promise<SourceRecord> {
  const user = {
    ...{ id: 'a', username: 'ada@example.com', email: 'ada@example.com', emailVerified: true, enabled: true },
    ...{ credentials: [], federatedIdentities: [{ identityProvider: provider.alias, userId: '77' }] },
  };
  const files = [join(folder, 'users.json'), join(folder, 'realm.json')];
  writeFileSync(files[0]!, JSON.stringify({ realm: 'acme', users: [user] }));
  writeFileSync(files[1]!, JSON.stringify({ realm: 'acme', identityProviders: isKnown ? [provider] : [] }));
  const records: SourceRecord[] = [];
  for await (const record of keycloak.read(files, { values: {} })) records.push(record);
  return records[0]!;
}

/** Returns the record with slugs instead of provider names. */
function resolve(record: SourceRecord, passed: Record<string, string> = {}): SourceRecord {
  const { providers, unusableProviders = {} } = keycloak;
  const slugs = new Map([...Object.entries(providers), ...Object.entries(passed)]);
  const passedNames = new Set(Object.keys(passed));
  return new IdentitySlugs(slugs, null, { unusableProviders, passedNames }).resolve(record);
}

it.each<[string, string, object, boolean, string | null]>([
  ['google', 'google', {}, true, 'google'],
  ['google', 'google', { trustEmail: true }, true, 'google'],
  ['acme', 'oidc', { trustEmail: false }, true, 'acme'],
  ['acme', 'oidc', { trustEmail: true }, false, 'acme'],
  ['acme', 'keycloak-oidc', { trustEmail: 'true' }, false, 'acme'],
  ['corp', 'saml', { trustEmail: true }, false, reasons.noSaml.reason],
  ['corp', 'saml', {}, false, reasons.noSaml.reason],
  ['corp', 'saml', { trustEmail: false }, true, reasons.noSaml.reason],
  ['google', 'saml', { trustEmail: false }, true, reasons.noSaml.reason],
  ['google', 'github', {}, true, reasons.unknownProvider.reason],
  ['ms', 'microsoft', { trustEmail: true }, true, OTHER_IDS.reason],
])(
  'converts an account at the provider %s of type %s with %j',
  async (alias, providerId, more, isVerified, expected) => {
    const record = await readUser({ alias, providerId, ...more });
    expect(record.customer).toMatchObject({ emailVerified: isVerified });
    const passed: Record<string, string> = expected === alias ? { [alias]: alias } : {};
    const { customer, leftOut } = resolve(record, passed);
    expect(customer?.identities ?? leftOut.filter(({ field }) => field.startsWith('identity'))).toMatchObject(
      expected === alias ? [{ provider: alias, subject: '77' }] : [{ reason: expected }],
    );
    expect(leftOut.some(({ reason }) => reason === reasons.companyAddress.reason)).toBe(!isVerified);
  },
);

it.each([
  ['corp', 'saml', 'google'],
  ['ms', 'microsoft', 'github'],
])('rejects --provider for the provider %s of type %s', async (alias, providerId, slug) => {
  const record = await readUser({ alias, providerId });
  expect(() => resolve(record, { [alias]: slug })).toThrow(`Identities of ${alias} cannot be imported.`);
});

it('imports an address as unverified if the alias of the provider is saml', async () => {
  const { customer } = await readUser({ alias: 'saml', providerId: 'saml' }, false);
  expect(customer).toMatchObject({ emailVerified: false });
});
