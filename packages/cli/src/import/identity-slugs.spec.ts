import { reasons } from './reasons.js';
import { IdentitySlugs } from './identity-slugs.js';
import type { SourceRecord } from './source.js';
import { sources } from './sources.js';

it('leaves malformed identities in a Gatehouse file unchanged, so that the server reports them', () => {
  const slugs = new IdentitySlugs(new Map([['google-oauth2', 'google']]), null, { keepsNames: true });
  const resolve = (identities: unknown) => {
    const customer = { email: 'a', identities } as SourceRecord['customer'];
    return slugs.resolve({ position: '', sourceId: null, customer, leftOut: [] }).customer?.identities;
  };
  for (const malformed of [[null], ['text'], [{ subject: '1' }]]) expect(resolve(malformed)).toBe(malformed);
  expect(resolve([{ provider: 'google-oauth2', subject: '1', unknown: 2 }])).toEqual([
    { provider: 'google', subject: '1', unknown: 2 },
  ]);
});

/** Resolves an identity in a project with only the provider `google`. */
function resolveProvider(
  system: string,
  provider: string,
  passed: Record<string, string> = {},
): SourceRecord {
  const { providers, unusableProviders = {} } = sources.find(({ name }) => name === system)!;
  const slugs = new Map(Object.entries({ ...providers, ...passed }));
  const passedNames = new Set(Object.keys(passed));
  const options = { unusableProviders, passedNames };
  const customer = { email: 'a', identities: [{ provider, subject: '1' }] };
  return new IdentitySlugs(slugs, [{ slug: 'google', type: 'google' }], options).resolve({
    ...{ position: '', sourceId: null, customer, leftOut: [] },
  });
}

it.each([
  ['auth0', 'waad:acme'],
  ['auth0', 'windowslive'],
  ['auth0', 'samlp:acme'],
  ['auth0', 'adfs:acme'],
  ['auth0', 'facebook'],
  ['clerk', 'microsoft'],
  ['clerk', 'facebook'],
  ['supabase', 'sso:019a'],
  ['supabase', 'twitter'],
  ['keycloak', 'microsoft'],
  ['firebase', 'microsoft.com'],
  ['firebase', 'facebook.com'],
  ['cognito', 'Facebook'],
  ['better-auth', 'twitter'],
  ['kratos', 'facebook'],
  ['logto', 'azuread'],
  ['supertokens', 'facebook'],
])('leaves out %s identities of the provider %s, and does not recommend --provider', (system, provider) => {
  const { customer, leftOut } = resolveProvider(system, provider);
  expect(customer).toEqual({ email: 'a' });
  expect(leftOut).toEqual([
    {
      field: `identity ${provider}`,
      reason: expect.any(String),
      remedy: 'Ask the customer to sign in by email once and link the account',
    },
  ]);
});

it('rejects a connection whose identities never match', () => {
  expect(() => resolveProvider('auth0', 'waad:acme', { acme: 'google' })).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringMatching(/^Identities of acme cannot/) }),
  );
});

it.each(sources.map(({ name }) => name).filter((name) => name !== 'gatehouse'))(
  'recommends --provider for unknown providers in %s',
  (system) => {
    const { leftOut } = resolveProvider(system, 'acme');
    expect(leftOut).toEqual([{ field: 'identity acme', ...reasons.unknownProvider }]);
    expect(resolveProvider(system, 'acme', { acme: 'google' })).toMatchObject({
      customer: { identities: [{ provider: 'google', subject: '1' }] },
      leftOut: [],
    });
  },
);
