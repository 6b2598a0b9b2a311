import { Injectable } from '@nestjs/common';
import { firstKeyScopes, type ApiKey, type Scope } from '@gatehouse/domain';
import { ApiKeysRepository, Transactions } from '@gatehouse/persistence';
import { AuditService } from '../audit/audit.service.js';

/** A key with the scopes that were added to it. */
export interface UpdatedKey {
  key: ApiKey;
  added: Scope[];
}

/** Changes the secret keys created at the first start. */
@Injectable()
export class FirstKeysService {
  constructor(
    private readonly apiKeys: ApiKeysRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Adds missing scopes to the active keys, so that they have every scope that a first start of this version grants.
   * Returns all keys from the first start, including keys that already have every scope.
   */
  addMissingScopes(): Promise<UpdatedKey[]> {
    return this.transactions.run(async (tx) => {
      const updated: UpdatedKey[] = [];
      for (const key of await this.apiKeys.lockSeededSecretKeys(tx)) {
        const added = firstKeyScopes.filter((scope) => !key.scopes.includes(scope));
        updated.push({ key, added });
        if (added.length === 0) continue;
        await this.apiKeys.addScopes(tx, key.id, added);
        const { organizationId, projectId, id: targetId } = key;
        const target = { organizationId, projectId, targetId };
        this.audit.record(tx, { ...target, action: 'api_key.scopes_added', details: { scopes: added } });
      }
      return updated;
    });
  }
}
