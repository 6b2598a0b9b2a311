import { Injectable } from '@nestjs/common';
import { AttemptRollupsRepository, IdentityRollupsRepository } from '@gatehouse/persistence';

/** Removes old rollups, and counts the active customers. */
@Injectable()
export class RollupMaintenance {
  constructor(
    private readonly attempts: AttemptRollupsRepository,
    private readonly identity: IdentityRollupsRepository,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    await this.attempts.prune(signal);
    await this.identity.recordCustomerCounts(signal);
  }
}
