import { decodeJwt, decodeProtectedHeader } from 'jose';
import { encryptedColumns } from '@gatehouse/persistence';
import { completeChallenge, openChallenge } from '../support/customer-factors.js';
import { refreshSession } from '../support/customers.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { LEGACY_PASSWORD, LegacySystem } from '../support/legacy-system.js';
import { OperatorClient } from '../support/operator-client.js';
import { signInWithPasskey } from '../support/passkeys.js';
import { Keyring } from '../support/platform.js';
import { redirectUrl } from '../support/sign-in-methods.js';
import { beginOAuth, exchange, completeFlow } from '../support/social-sign-in.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import type { TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';
import { upgradeChecks } from '../support/upgrade-checks.js';
import { UpgradedInstance } from '../support/upgraded-instance.js';
import type { SignInFixture } from '../upgrade/manifest.js';
import { inProject } from '../upgrade/requests.js';

const VERSION = '0.2.0';

let upgrade: UpgradedInstance;
let instance: TestInstance;
/** The same instance, with credentials for the project that has every sign-in method. */
let members: TestInstance;
let fixture: SignInFixture;
let provider: StandInProvider;
let legacy: LegacySystem;
beforeAll(async () => {
  [provider, legacy] = await Promise.all([StandInProvider.start(), LegacySystem.start()]);
  upgrade = await UpgradedInstance.start(VERSION, ({ signIn }) => {
    fixture = signIn!;
    return [
      ['UPDATE identity_providers SET issuer = $2 WHERE id = $1', [fixture.provider.id, provider.issuer]],
      [
        `UPDATE projects SET settings = jsonb_set(settings, '{legacySignIn,url}', to_jsonb($2::text)) WHERE id = $1`,
        [fixture.project.projectId, legacy.setting.url],
      ],
    ];
  });
  instance = upgrade.instance;
  members = inProject(instance, fixture.project);
  legacy.secret = fixture.legacySecret;
  const { id, clientId, clientSecret } = fixture.provider;
  const redirectUri = `${instance.baseUrl}/api/v1/auth/oauth/callback/${id}`;
  provider.addClient({ redirectUri, clientId, clientSecret });
});
afterAll(() => Promise.all([upgrade?.stop(), provider?.stop(), legacy?.stop()]));

/** Signs a person in at the provider. */
async function signInAtProvider(sub: string, email: string) {
  const { projectId: id, publishableKey } = fixture.project;
  provider.user = createProviderUser({ sub, email });
  const flow = await beginOAuth(members, { id, publishableKey }, fixture.provider.slug, { redirectUrl });
  const { code } = await completeFlow(flow);
  return exchange(members, { id, publishableKey }, flow, code);
}

const amrOf = (accessToken: string): unknown => decodeJwt(accessToken)['amr'];

describe('a database of 0.2.0', () => {
  it.each(upgradeChecks)('%s', (_, check) => check(upgrade));

  it('has a row in every table except those that README.md lists', () => {
    const empty = Object.entries(upgrade.manifest.rowCounts).filter(([, count]) => count === 0);
    expect(empty.map(([table]) => table)).toEqual(['migration_lease', 'process_problems']);
  });

  it('has a value that it can decrypt in every encrypted column', async () => {
    const keyring = new Keyring([upgrade.manifest.rootSecret]);
    for (const { table, column, context, prefix = '', purpose } of encryptedColumns) {
      const sealed = prefix ? `decode(substr(${column}, ${prefix.length + 1}), 'base64')` : column;
      const rows = await instance.sql<{ context: string; sealed: Buffer }>(
        `SELECT (${context})::text AS context, ${sealed} AS sealed FROM ${table}
         WHERE ${prefix ? `starts_with(${column}, '${prefix}')` : `${column} IS NOT NULL`}`,
      );
      expect([table, column, rows.length > 0]).toEqual([table, column, true]);
      for (const row of rows) keyring.decrypt(purpose, row.context, row.sealed);
    }
  });

  it('signs a customer in with a passkey, and signs the token with the RSA key', async () => {
    const { email, authenticator } = fixture.passkey;
    const signedIn = await signInWithPasskey(members, SoftwareAuthenticator.restore(authenticator));
    expect(signedIn).toMatchObject({ status: 200, body: { customer: { email } } });
    const { accessToken } = signedIn.body.tokens;
    expect(decodeProtectedHeader(accessToken)).toMatchObject({ alg: 'RS256' });
    expect((await upgrade.withKey(accessToken, 'GET', '/api/v1/me')).body).toMatchObject({ email });
  });

  it('completes a sign-in with an authenticator and with a recovery code', async () => {
    const { email, secret, recoveryCodes } = fixture.totp;
    for (const [method, code] of [
      ['totp', totpCode(secret)],
      ['recovery-code', recoveryCodes[0]!],
    ] as const) {
      const challenge = await openChallenge(members, email);
      const completed = await completeChallenge(members, challenge, code, method);
      expect([method, completed]).toMatchObject([method, { status: 200, body: { customer: { email } } }]);
    }
  });

  it('refreshes a session that was opened with a second factor', async () => {
    const { status, body } = await refreshSession(members, fixture.refreshToken);
    expect([status, amrOf(body.tokens.accessToken)]).toEqual([200, ['pwd', 'otp', 'mfa']]);
  });

  it('signs a person in with an identity provider, whose client secret is stored', async () => {
    const { subject, email } = fixture.provider;
    const signedIn = await signInAtProvider(subject, email);
    expect(signedIn).toMatchObject({ status: 200, body: { customer: { email } } });
    expect(amrOf(signedIn.body.tokens.accessToken)).toEqual(['fed']);
  });

  it('signs an imported customer in with the imported identity and second factor', async () => {
    const { subject, email, totpSecret } = fixture.imported;
    const { body } = await signInAtProvider(subject, email);
    expect(body.challenge).toMatchObject({ kind: 'second_factor' });
    const completed = await completeChallenge(members, body.challenge.token, totpCode(totpSecret));
    expect(completed).toMatchObject({ status: 200, body: { customer: { email } } });
  });

  it('moves a customer from the previous system, with a request that its secret signs', async () => {
    const email = uniqueEmail();
    const signedIn = await members.login(email, LEGACY_PASSWORD);
    expect(signedIn).toMatchObject({ status: 200, body: { customer: { email } } });
    expect(legacy.listRequests(email)).toHaveLength(1);
  });

  it('sends emails with the custom template', async () => {
    const email = uniqueEmail();
    await members.register(email);
    const [mail] = await members.listMails(email, fixture.template.kind);
    expect(mail!['subject']).toBe(fixture.template.subject.replace('{{email}}', email));
  });

  it('signs an operator in with a passkey as the second factor', async () => {
    const { email, password, authenticator } = fixture.operator;
    const client = new OperatorClient(instance);
    await client.request('POST', '/session', { email, password });
    const path = '/session/second-factor/passkey';
    const { options } = (await client.request('POST', `${path}/options`)).body;
    const passkey = SoftwareAuthenticator.restore(authenticator);
    const response = passkey.get(options, { origin: instance.baseUrl });
    const signedIn = await client.request('POST', path, { response });
    expect(signedIn).toMatchObject({ status: 200, body: { state: 'signed_in', operator: { email } } });
  });
});
