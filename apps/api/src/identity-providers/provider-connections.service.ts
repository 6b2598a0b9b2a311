import { Injectable } from '@nestjs/common';
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { LRUCache } from 'lru-cache';
import { providerPresets, type ProviderPreset } from '@gatehouse/domain';
import type { ConnectedProvider } from '@gatehouse/persistence';
import { Config, Keyring, now, OutboundClient, outboundFetch, userAgent } from '@gatehouse/platform';
import {
  authenticateWithSecret,
  discoverIssuer,
  isInsecure,
  MAX_PROVIDER_RESPONSE_BYTES,
  PROVIDER_METADATA_TTL_MS,
  PROVIDER_TIMEOUT_MS,
  type OpenIdClient,
} from '../http/discover-issuer.js';
import { tolerateTokenResponses } from '../http/token-response.js';

/** Validity of a client secret that Gatehouse signs, in seconds. */
const SIGNED_SECRET_TTL = 5 * 60;

/** Maximum number of cached connections. */
const MAX_CONNECTIONS = 500;

/**
 * Maximum length of a document of a cached connection, in bytes. Discovery documents and key sets of providers have a few
 * KB, but tenants choose the URLs, and a connection keeps what it has parsed.
 */
const MAX_CACHED_BYTES = 32 * 1024;

/** The connection with which requests to a provider are sent. */
export interface Connection {
  client: OpenIdClient;
  configuration: Configuration;
  preset: ProviderPreset;
}

/**
 * Connects to identity providers: discovers their endpoints, and authenticates as their client. All requests are subject
 * to the target policy, because tenants configure the URLs (requirement FE-04).
 */
@Injectable()
export class ProviderConnectionsService {
  private readonly fetch: CustomFetch;
  /**
   * By provider and its last change. The cached objects, not their metadata, know the issuers of the tenants of
   * Microsoft, and the keys that sign id tokens.
   */
  private readonly cache = new LRUCache<string, Promise<Connection>>({
    max: MAX_CONNECTIONS,
    ttl: PROVIDER_METADATA_TTL_MS,
  });

  constructor(
    config: Config,
    private readonly keyring: Keyring,
  ) {
    const { allowedCidrs, dnsServers } = config.webhooks;
    const policy = { production: config.production, allowedCidrs };
    const outbound = OutboundClient.forTenantTargets({ policy, dnsServers, timeoutMs: PROVIDER_TIMEOUT_MS });
    this.fetch = tolerateTokenResponses(
      outboundFetch(outbound, { 'user-agent': userAgent }, MAX_PROVIDER_RESPONSE_BYTES),
    );
  }

  /**
   * Returns the connection to a provider. Only the first call, and one every ten minutes, sends a request, unless the
   * documents of the provider are too large to be cached.
   */
  async connect(provider: ConnectedProvider): Promise<Connection> {
    const key = `${provider.id} ${provider.updatedAt.getTime()}`;
    const cached = this.cache.get(key);
    if (cached) return cached;
    const connection = this.discover(provider, () => this.cache.delete(key));
    this.cache.set(key, connection);
    connection.catch(() => this.cache.delete(key));
    return connection;
  }

  /**
   * Connects to a provider without using or changing the cache.
   * @param onLarge called when the provider sends a document that is too large to be cached
   */
  async discover(provider: ConnectedProvider, onLarge = (): void => undefined): Promise<Connection> {
    const client = await import('openid-client');
    const preset = providerPresets[provider.type];
    const fetch = this.reportLarge(onLarge);
    const configuration = preset.oauth
      ? this.configure(client, provider, preset)
      : await this.discoverConfiguration(client, provider, preset, fetch);
    configuration[client.customFetch] = fetch;
    return { client, configuration, preset };
  }

  /** Returns the JSON at a URL of a provider. @throws Error if the response is not JSON, or not successful */
  async fetchJson(url: string): Promise<unknown> {
    const headers = { accept: 'application/json' };
    const response = await this.fetch(url, { method: 'GET', headers, body: undefined, redirect: 'manual' });
    if (response.status !== 200) throw new Error(`the provider responded with status ${response.status}`);
    return response.json();
  }

  /** Returns `fetch` of a provider, which reports a document that is too large to be cached. */
  private reportLarge(onLarge: () => void): CustomFetch {
    return async (url, options) => {
      const response = await this.fetch(url, options);
      const bytes = await response.clone().arrayBuffer();
      if (bytes.byteLength > MAX_CACHED_BYTES) onLarge();
      return response;
    };
  }

  private async discoverConfiguration(
    client: OpenIdClient,
    provider: ConnectedProvider,
    preset: ProviderPreset,
    fetch: CustomFetch,
  ): Promise<Configuration> {
    const { issuer, clientId } = provider;
    const authentication = this.authenticate(client, provider, preset);
    return discoverIssuer(client, { issuer, clientId, authentication, fetch });
  }

  private configure(
    client: OpenIdClient,
    provider: ConnectedProvider,
    preset: ProviderPreset,
  ): Configuration {
    const { issuer, authorization, token } = preset.oauth!.endpoints(provider.issuer);
    const metadata: ServerMetadata = {
      issuer,
      authorization_endpoint: authorization,
      token_endpoint: token,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
    const authentication = this.authenticate(client, provider, preset);
    const configuration = new client.Configuration(metadata, provider.clientId, undefined, authentication);
    configuration.timeout = PROVIDER_TIMEOUT_MS / 1_000;
    if (isInsecure(provider.issuer)) client.allowInsecureRequests(configuration);
    return configuration;
  }

  /** Returns how Gatehouse authenticates at the token endpoint: with a secret, with one that it signs, or not at all. */
  private authenticate(
    client: OpenIdClient,
    provider: ConnectedProvider,
    preset: ProviderPreset,
  ): ClientAuth {
    if (preset.signsClientSecret) return this.authenticateWithSignature(provider);
    const { id, clientSecret: sealed } = provider;
    const secret = sealed && this.keyring.decrypt('identity-provider-secret', id, sealed);
    return authenticateWithSecret(client, secret);
  }

  /** Returns how Gatehouse authenticates with a secret that it signs for every request. */
  private authenticateWithSignature(provider: ConnectedProvider): ClientAuth {
    const sign = async ({ issuer }: ServerMetadata, _: unknown, body: URLSearchParams): Promise<void> => {
      body.set('client_id', provider.clientId);
      body.set('client_secret', await this.signSecret(provider, issuer));
    };
    // oxlint-disable-next-line typescript/no-misused-promises -- the package waits for the promise
    return sign;
  }

  /** Returns a client secret for Apple: a token that the private key of the provider signs. */
  async signSecret(provider: ConnectedProvider, audience: string): Promise<string> {
    const { id, privateKey, keyId, teamId, clientId } = provider;
    const { importPKCS8, SignJWT } = await import('jose');
    const pem = this.keyring.decrypt('identity-provider-secret', id, privateKey!);
    const issuedAt = Math.floor(now().getTime() / 1_000);
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId! })
      .setIssuer(teamId!)
      .setSubject(clientId)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + SIGNED_SECRET_TTL)
      .sign(await importPKCS8(pem, 'ES256'));
  }
}
