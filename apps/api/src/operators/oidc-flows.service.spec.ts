import type { OAuthFlowsRepository } from '@gatehouse/persistence';
import {
  Keyring,
  readSignedJson,
  signJson,
  UnreadableValues,
  type Config,
  type Logger,
} from '@gatehouse/platform';
import { createProviderUser } from '../../../../test/support/identity-providers/provider-user.js';
import { respondWithJson } from '../../../../test/support/identity-providers/responses.js';
import { StandInProvider } from '../../../../test/support/identity-providers/stand-in-provider.js';
import { UserAgent } from '../../../../test/support/identity-providers/user-agent.js';
import type { OidcFlowCookie } from './oidc-flow-cookie.js';
import { IdentityProtocolsService } from '../identity-providers/protocols/identity-protocols.service.js';
import { ConnectionChecksService } from '../identity-providers/protocols/oauth-client/connection-checks.service.js';
import { OAuthConnectionsService } from '../identity-providers/protocols/oauth-client/oauth-connections.service.js';
import { OptionalRequestsService } from '../identity-providers/protocols/oauth-client/optional-requests.service.js';
import { OpenIdConnectProtocol } from '../identity-providers/protocols/openid-connect/openid-connect.protocol.js';
import { ProviderRequestsService } from '../identity-providers/protocols/provider-requests.service.js';
import { OidcFlowsService } from './oidc-flows.service.js';

const publicUrl = 'http://127.0.0.1:9';
const redirectUri = `${publicUrl}/operator/v1/oidc/callback`;
const keyring = new Keyring(['secret']);
const logger = { warn: () => undefined } as unknown as Logger;

let standIn: StandInProvider;
beforeAll(async () => (standIn = await StandInProvider.start()));
beforeEach(() => {
  standIn.reset();
  standIn.user = createProviderUser({ groups: ['staff'] });
});
afterAll(() => standIn?.stop());

/**
 * Signs the operator in and returns the claims.
 * @param change modifies the flow cookie
 */
async function signIn(change = (value: string): string => value) {
  const { clientId, clientSecret } = standIn.addClient({ redirectUri });
  const operatorOidc = {
    ...{ issuer: standIn.issuer, clientId, clientSecret, scopes: ['openid', 'email', 'profile'] },
    ...{ roleClaim: 'groups', organizationsClaim: null },
  };
  const webhooks = { allowedCidrs: [], dnsServers: [] };
  const config = { publicUrl, operatorOidc, production: false, webhooks } as unknown as Config;
  const requests = new ProviderRequestsService(null, new UnreadableValues(null, logger), logger);
  const connections = new OAuthConnectionsService(config);
  const checks = new ConnectionChecksService(connections, requests, config);
  const protocol = new OpenIdConnectProtocol(connections, new OptionalRequestsService(logger), checks);
  const repository = {
    insertForOperator: () => Promise.resolve(),
    consumeForOperator: () => Promise.resolve(true),
  } as unknown as OAuthFlowsRepository;
  const flows = new OidcFlowsService(
    repository,
    new IdentityProtocolsService([protocol], requests),
    keyring,
    config,
  );
  const cookie = { value: '', set: (value: string) => (cookie.value = value), clear: () => undefined };
  const purpose = { to: '/', isSeparateWindow: false, session: null };
  const url = await flows.begin(purpose, cookie as unknown as OidcFlowCookie);
  cookie.value = change(cookie.value);
  const { parameters } = await new UserAgent().follow(url, { until: redirectUri });
  const flow = await flows.end(cookie as unknown as OidcFlowCookie, parameters);
  return flows.loadClaims(flow, parameters);
}

const outage = { userinfo: respondWithJson({}, 503) };

it('adds the email, the name and the groups from the userinfo endpoint', async () => {
  const { email, name } = standIn.user;
  standIn.claimsIn = 'userinfo';
  standIn.idTokenClaims = { groups: null };
  expect(await signIn()).toMatchObject({ email, name, email_verified: true, groups: ['staff'] });
  standIn.idTokenClaims = { groups: ['admins'], email: 'ada@example.com' };
  expect(await signIn()).toMatchObject({ email: 'ada@example.com', name, groups: ['admins'] });
  expect(await signIn()).not.toMatchObject({ email_verified: true });
});

it('continues without the userinfo endpoint if the id token contains the groups', async () => {
  Object.assign(standIn, { claimsIn: 'userinfo', overrides: outage, idTokenClaims: { groups: ['staff'] } });
  expect(await signIn()).toMatchObject({ sub: standIn.user.sub, groups: ['staff'] });
});

it('fails without the userinfo endpoint if the id token does not contain the groups', async () => {
  Object.assign(standIn, { claimsIn: 'userinfo', overrides: outage });
  await expect(signIn()).rejects.toMatchObject({ code: 'provider_unavailable' });
  standIn.overrides = { userinfo: respondWithJson({}, 404) };
  await expect(signIn()).rejects.toMatchObject({ code: 'sign_in_failed' });
});

it('ignores unused members in a token response', async () => {
  standIn.tokenResponse = { scope: null, expires_in: null, refresh_token: 7, token_type: null };
  expect(await signIn()).toMatchObject({ groups: ['staff'] });
});

it('accepts the flow cookie of an older API process', async () => {
  const asEarlierVersion = (value: string): string => {
    const { flowState, ...flow } = readSignedJson(keyring, 'operator-oidc', value) as Record<string, unknown>;
    expect(flow).toMatchObject(flowState as object);
    return signJson(keyring, 'operator-oidc', flow);
  };
  expect(await signIn(asEarlierVersion)).toMatchObject({ sub: standIn.user.sub });
});
