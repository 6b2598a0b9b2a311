import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { apiKeyType, type Reach } from '@gatehouse/domain';
import { ApiKeysRepository, EventsRepository, type ActiveApiKey } from '@gatehouse/persistence';
import { errorMessage, LOGGER, sha256, type Logger } from '@gatehouse/platform';
import type { KeyCaller } from './caller.js';

/**
 * Time in ms for which a key is not read again. A revoked key must stop working within a second on every replica
 * (contract, section 3); on the replica that revokes it, it stops immediately.
 */
const CACHE_MS = 250;

const MAX_CACHED_KEYS = 1_000;

/** Events after which a cached key or its project may be outdated. */
const OUTDATING_EVENT = /^(api_key|project|organization)\./;

/** Authenticates the caller of an API key. */
@Injectable()
export class ApiKeyAuthenticator {
  /** Active keys by SHA-256. Concurrent requests share one query. */
  private readonly cache = new LRUCache<string, Promise<KeyCaller | null>>({
    max: MAX_CACHED_KEYS,
    ttl: CACHE_MS,
    ttlResolution: 0,
  });

  constructor(
    private readonly apiKeys: ApiKeysRepository,
    events: EventsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    events.onCommitted(({ type }) => {
      if (OUTDATING_EVENT.test(type)) this.cache.clear();
    });
  }

  /**
   * Returns null for a key that is malformed, unknown, revoked or expired. A wrong checksum requires no
   * database query.
   */
  async authenticate(value: string): Promise<KeyCaller | null> {
    if (!apiKeyType(value)) return null;
    const keyHash = sha256(value);
    const id = keyHash.toString('base64');
    const cached = this.cache.get(id);
    if (cached) return cached;
    const found = this.find(keyHash);
    this.cache.set(id, found);
    const forget = (): void => {
      if (this.cache.peek(id) === found) this.cache.delete(id);
    };
    found.then((caller) => caller ?? forget(), forget);
    return found;
  }

  private async find(keyHash: Buffer): Promise<KeyCaller | null> {
    const key = await this.apiKeys.findActive(keyHash);
    if (!key) return null;
    if (key.isStale) this.touch(key);
    return toCaller(key);
  }

  private touch(key: ActiveApiKey): void {
    this.apiKeys.recordUse(key.id).catch((error: unknown) => {
      this.logger.debug({ reason: errorMessage(error) }, 'API key lastUsedAt not written');
    });
  }
}

function toCaller({ id, type, access, scopes, project }: ActiveApiKey): KeyCaller {
  if (type === 'publishable') return { kind: 'publishable-key', keyId: id, project };
  const reach: Reach = {
    organizationId: project.organizationId,
    projectId: access === 'organization' ? null : project.id,
  };
  return { kind: 'secret-key', keyId: id, access, scopes, project, reach };
}
