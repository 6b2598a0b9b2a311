import { Inject, Injectable } from '@nestjs/common';
import { apiKeyType, type AccessScope } from '@gatehouse/domain';
import { ApiKeysRepository, type ActiveApiKey } from '@gatehouse/persistence';
import { errorMessage, LOGGER, sha256, type Logger } from '@gatehouse/platform';
import type { KeyCaller } from './caller.js';

/** Authenticates servers and apps by their API keys. */
@Injectable()
export class ApiKeyAuthenticator {
  constructor(
    private readonly apiKeys: ApiKeysRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns null for a malformed, unknown, revoked or expired key. A wrong checksum is detected without a database
   * query.
   */
  async authenticate(value: string): Promise<KeyCaller | null> {
    if (!apiKeyType(value)) return null;
    const key = await this.apiKeys.findActive(sha256(value));
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

function toCaller({ id, type, access, scopes, rateLimit, project }: ActiveApiKey): KeyCaller {
  if (type === 'publishable') return { kind: 'publishable-key', keyId: id, project };
  const accessScope: AccessScope = {
    organizationIds: [project.organizationId],
    projectId: access === 'organization' ? null : project.id,
  };
  return { kind: 'secret-key', keyId: id, access, scopes, rateLimit, project, accessScope };
}
