import { Injectable } from '@nestjs/common';
import { apiKeyResource } from '@gatehouse/domain';
import { ApiKeysRepository, EventsRepository, Transactions } from '@gatehouse/persistence';

/** Days between the event and the key's expiry. */
const NOTICE_DAYS = 7;

/** Maximum number of keys per transaction, so that it stays within its timeout. */
const BATCH_SIZE = 500;

/** Creates one event for each API key that is about to expire (contract, section 3). */
@Injectable()
export class ExpiringKeyNotifier {
  constructor(
    private readonly apiKeys: ApiKeysRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
  ) {}

  async notify(): Promise<void> {
    while ((await this.notifyBatch()) === BATCH_SIZE);
  }

  private notifyBatch(): Promise<number> {
    return this.transactions.run(async (tx) => {
      const keys = await this.apiKeys.claimExpiring(tx, NOTICE_DAYS, BATCH_SIZE);
      this.events.record(
        tx,
        keys.map((key) => ({
          type: 'api_key.expiring',
          organizationId: key.organizationId,
          projectId: key.projectId,
          customerId: null,
          data: { apiKey: apiKeyResource(key) },
        })),
      );
      return keys.length;
    });
  }
}
