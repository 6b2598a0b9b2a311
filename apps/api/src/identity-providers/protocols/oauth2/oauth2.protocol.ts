import { Injectable } from '@nestjs/common';
import type { Configuration, ServerMetadata } from 'openid-client';
import { parseValidUrl, type ConnectionCheck } from '@gatehouse/domain';
import { userAgent } from '@gatehouse/platform';
import type {
  AuthenticationRequest,
  StartedFlow,
  CallbackParameters,
  IdentityProtocol,
  ProtocolProvider,
  ProviderSignInResult,
  CallbackFlow,
} from '../identity-protocol.js';
import { ConnectionChecksService } from '../oauth-client/connection-checks.service.js';
import {
  authenticateWithSecret,
  isInsecure,
  PROVIDER_TIMEOUT_MS,
  type OpenIdClient,
} from '../oauth-client/discover-issuer.js';
import {
  OAuthClientSettingsFormat,
  useSecret,
  type OAuthClientSettings,
} from '../oauth-client/oauth-client-settings.js';
import { OAuthConnectionsService, type Connection } from '../oauth-client/oauth-connections.service.js';
import { beginAuthorization, exchangeCode } from '../oauth-client/oauth-flow.js';
import { isDenial } from '../provider-failure.js';
import { OptionalRequestsService } from '../oauth-client/optional-requests.service.js';
import { oauth2Presets } from './presets/index.js';
import type { OAuth2Preset } from './presets/oauth2-preset.js';

type Provider = ProtocolProvider<OAuthClientSettings>;

/** OAuth 2.0 (RFC 6749, section 4.1) for services that return the profile from their own API. */
@Injectable()
export class OAuth2Protocol implements IdentityProtocol<OAuthClientSettings> {
  readonly presets = oauth2Presets;
  readonly settings = new OAuthClientSettingsFormat(oauth2Presets, []);

  constructor(
    private readonly connections: OAuthConnectionsService,
    private readonly optionalRequests: OptionalRequestsService,
    private readonly checks: ConnectionChecksService,
  ) {}

  async begin(provider: Provider, request: AuthenticationRequest): Promise<StartedFlow> {
    return beginAuthorization(await this.connect(provider), request, provider.settings().scopes);
  }

  isDenied({ error }: CallbackParameters): boolean {
    return isDenial(error);
  }

  async finish(provider: Provider, flow: CallbackFlow): Promise<ProviderSignInResult> {
    const connection = await this.connect(provider);
    const { access_token: token } = await exchangeCode(connection, flow, { withIdToken: false });
    const optionalRequests = this.optionalRequests.forProvider(provider);
    const fetchResource = (url: string) => fetchJson(connection, token, url);
    const fetchOptional = (url: string) => optionalRequests.run(() => fetchResource(url));
    const claims = await getPreset(provider).loadClaims(provider.issuer, { fetchResource, fetchOptional });
    const { wasUnavailable: isIncomplete } = optionalRequests;
    return { claims, authTime: undefined, isIncomplete, sendsAuthTime: provider.sendsAuthTime };
  }

  async test(provider: Provider, callbackUrl: string): Promise<ConnectionCheck[]> {
    const issuer = this.checks.checkIssuer(provider);
    if (!issuer.ok) return [issuer];
    const opened = await this.checks.open(provider, (client) => configure(client, provider));
    if (Array.isArray(opened)) return [issuer, ...opened];
    return [issuer, await this.checks.checkCredentials(provider, opened, callbackUrl)];
  }

  private connect(provider: Provider): Promise<Connection> {
    return this.connections.connect(provider, (client) => configure(client, provider));
  }
}

const getPreset = ({ type }: Provider): OAuth2Preset => oauth2Presets[type as keyof typeof oauth2Presets];

function configure(client: OpenIdClient, provider: Provider): Configuration {
  const { issuer, authorization, token } = getPreset(provider).endpoints(provider.issuer);
  const { clientId, clientSecret } = provider.settings();
  const metadata: ServerMetadata = {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
  const authentication = authenticateWithSecret(client, useSecret(clientSecret));
  const configuration = new client.Configuration(metadata, clientId, undefined, authentication);
  configuration.timeout = PROVIDER_TIMEOUT_MS / 1_000;
  if (isInsecure(provider.issuer)) client.allowInsecureRequests(configuration);
  return configuration;
}

/** Requests a resource from a provider's API. @throws Error if the response is not JSON, or not successful */
async function fetchJson(
  { client, configuration }: Connection,
  token: string,
  url: string,
): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json', 'user-agent': userAgent });
  const resource = parseValidUrl(url);
  const response = await client.fetchProtectedResource(
    configuration,
    token,
    resource,
    'GET',
    undefined,
    headers,
  );
  if (!response.ok) throw new Error(`the provider responded with status ${response.status}`);
  return response.json();
}
