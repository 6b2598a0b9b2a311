import { Injectable } from '@nestjs/common';
import type { Configuration, CustomFetch } from 'openid-client';
import { LRUCache } from 'lru-cache';
import { Config, OutboundClient, outboundFetch, userAgent } from '@gatehouse/platform';
import type { ProtocolProvider } from '../identity-protocol.js';
import {
  MAX_PROVIDER_RESPONSE_BYTES,
  PROVIDER_METADATA_TTL_MS,
  PROVIDER_TIMEOUT_MS,
  type OpenIdClient,
} from './discover-issuer.js';
import { tolerateTokenResponses } from './token-response.js';

/** Maximum number of cached connections. */
const MAX_CONNECTIONS = 500;

/**
 * Maximum size of a document in a cached connection, in bytes. Discovery documents and key sets are usually a
 * few KB in size, but tenants choose the URLs, and a connection retains what it has parsed.
 */
const MAX_CACHED_BYTES = 32 * 1024;

/** A connection for sending requests to a provider. */
export interface Connection {
  client: OpenIdClient;
  configuration: Configuration;
}

/** Returns a provider's endpoints and client authentication method. */
export type Configure = (client: OpenIdClient, fetch: CustomFetch) => Configuration | Promise<Configuration>;

/**
 * Connects to providers with openid-client, as an OAuth 2.0 client. All requests to projects' providers are subject
 * to the target policy, because tenants configure the URLs (requirement FE-04).
 */
@Injectable()
export class OAuthConnectionsService {
  private readonly fetchTenant: CustomFetch;
  private readonly fetchOperator: CustomFetch;
  /**
   * Connections by provider and version. The objects themselves are cached, because their metadata does not contain the
   * issuers of Microsoft's tenants and the keys that sign id tokens.
   */
  private readonly cache = new LRUCache<string, Promise<Connection>>({
    max: MAX_CONNECTIONS,
    ttl: PROVIDER_METADATA_TTL_MS,
  });

  /** The operators' connection, which projects' connections cannot evict. */
  private readonly operatorCache = new LRUCache<string, Promise<Connection>>({
    max: 1,
    ttl: PROVIDER_METADATA_TTL_MS,
  });

  constructor(config: Config) {
    const { allowedCidrs, dnsServers } = config.webhooks;
    const policy = { production: config.production, allowedCidrs };
    this.fetchTenant = fetchWith(
      OutboundClient.forTenantTargets({ policy, dnsServers, timeoutMs: PROVIDER_TIMEOUT_MS }),
    );
    this.fetchOperator = fetchWith(OutboundClient.forOperatorTargets(PROVIDER_TIMEOUT_MS));
  }

  /**
   * Returns the connection to a provider. Only the first call, and then one call every ten minutes, sends a
   * request, unless the documents of a project's provider are too large to be cached.
   */
  connect(provider: ProtocolProvider, configure: Configure): Promise<Connection> {
    const belongsToOperators = provider.projectId === null;
    const cache = belongsToOperators ? this.operatorCache : this.cache;
    const key = `${provider.id} ${provider.version}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const evict = () => cache.delete(key);
    const connection = this.open(provider, configure, belongsToOperators ? undefined : evict);
    cache.set(key, connection);
    connection.catch(evict);
    return connection;
  }

  /**
   * Connects to a provider without using or changing the cache.
   * @param onLarge called when the provider sends a document that is too large to be cached
   */
  async open(
    provider: ProtocolProvider,
    configure: Configure,
    onLarge: () => void = () => undefined,
  ): Promise<Connection> {
    const client = await import('openid-client');
    const fetch = reportLarge(this.fetchOf(provider), onLarge);
    const configuration = await configure(client, fetch);
    configuration[client.customFetch] = fetch;
    return { client, configuration };
  }

  /** Returns JSON from a provider URL. @throws Error if the response is not JSON, or not successful */
  async fetchJson(provider: ProtocolProvider, url: string): Promise<unknown> {
    const options = { method: 'GET', headers: { accept: 'application/json' }, body: undefined } as const;
    const response = await this.fetchOf(provider)(url, { ...options, redirect: 'manual' });
    if (response.status !== 200) throw new Error(`the provider responded with status ${response.status}`);
    return response.json();
  }

  private fetchOf({ projectId }: ProtocolProvider): CustomFetch {
    return projectId === null ? this.fetchOperator : this.fetchTenant;
  }
}

const fetchWith = (client: OutboundClient): CustomFetch =>
  tolerateTokenResponses(outboundFetch(client, { 'user-agent': userAgent }, MAX_PROVIDER_RESPONSE_BYTES));

/** Returns a `fetch` function that reports documents that are too large to be cached. */
const reportLarge =
  (fetch: CustomFetch, onLarge: () => void): CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, options);
    const bytes = await response.clone().arrayBuffer();
    if (bytes.byteLength > MAX_CACHED_BYTES) onLarge();
    return response;
  };
