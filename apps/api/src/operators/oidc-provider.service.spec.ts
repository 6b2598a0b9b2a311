import type { OperatorOidcConfig } from '@gatehouse/platform';
import { UnreadableValues, type Config, type Logger } from '@gatehouse/platform';
import { createPerson } from '../../../../test/support/identity-providers/person.js';
import { respondWithJson } from '../../../../test/support/identity-providers/responses.js';
import { StandInProvider } from '../../../../test/support/identity-providers/stand-in-provider.js';
import { UserAgent } from '../../../../test/support/identity-providers/user-agent.js';
import { ProviderRequestsService } from '../identity-providers/provider-requests.service.js';
import { OidcProviderService } from './oidc-provider.service.js';

const publicUrl = 'http://127.0.0.1:9';
const redirectUri = `${publicUrl}/operator/v1/oidc/callback`;
const logger = { warn: () => undefined } as unknown as Logger;

let standIn: StandInProvider;
beforeAll(async () => (standIn = await StandInProvider.start()));
beforeEach(() => {
  standIn.reset();
  standIn.person = createPerson({ groups: ['staff'] });
});
afterAll(() => standIn?.stop());

/** Signs the operator in. @returns the claims */
async function signIn() {
  const requests = new ProviderRequestsService(null, new UnreadableValues(null, logger), logger);
  const service = new OidcProviderService(requests, { publicUrl } as Config, logger);
  const { clientId, clientSecret } = standIn.addClient({ redirectUri });
  const settings = {
    ...{ issuer: standIn.issuer, clientId, clientSecret, scopes: ['openid', 'email', 'profile'] },
    ...{ roleClaim: 'groups', organizationsClaim: null },
  } as unknown as OperatorOidcConfig;
  const proof = { state: 'state', nonce: 'nonce', codeVerifier: 'x'.repeat(43) };
  const url = await service.authorizationUrl(settings, proof, false);
  const { parameters } = await new UserAgent().follow(url, { until: redirectUri });
  return service.loadClaims(settings, proof, parameters);
}

const outage = { userinfo: respondWithJson({}, 503) };

it('adds the email, the name and the groups of the userinfo endpoint', async () => {
  const { email, name } = standIn.person;
  standIn.claimsIn = 'userinfo';
  standIn.idTokenClaims = { groups: null };
  expect(await signIn()).toMatchObject({ email, name, email_verified: true, groups: ['staff'] });
  standIn.idTokenClaims = { groups: ['admins'], email: 'ada@example.com' };
  expect(await signIn()).toMatchObject({ email: 'ada@example.com', name, groups: ['admins'] });
  expect(await signIn()).not.toMatchObject({ email_verified: true });
});

it('continues without the userinfo endpoint if the id token contains the groups', async () => {
  Object.assign(standIn, { claimsIn: 'userinfo', overrides: outage, idTokenClaims: { groups: ['staff'] } });
  expect(await signIn()).toMatchObject({ sub: standIn.person.sub, groups: ['staff'] });
});

it('requires the userinfo endpoint for the groups, which decide about access', async () => {
  Object.assign(standIn, { claimsIn: 'userinfo', overrides: outage });
  await expect(signIn()).rejects.toMatchObject({ code: 'provider_unavailable' });
  standIn.overrides = { userinfo: respondWithJson({}, 404) };
  await expect(signIn()).rejects.toMatchObject({ code: 'sign_in_failed' });
});

it('ignores unused members of a token response', async () => {
  standIn.tokenResponse = { scope: null, expires_in: null, refresh_token: 7, token_type: null };
  expect(await signIn()).toMatchObject({ groups: ['staff'] });
});
