import { Injectable } from '@nestjs/common';
import { apiKeyResource } from '@gatehouse/domain';
import { ApiKeysRepository, EventsRepository, Transactions } from '@gatehouse/persistence';

/** How long before its end a key is told of. */
const NOTICE_DAYS = 7;

/** Keys that one transaction tells of: few enough for its time-out. */
const BATCH_SIZE = 500;

/** Tells, once each, which API keys are about to expire (contract, section 3). */
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
      await this.events.record(
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
