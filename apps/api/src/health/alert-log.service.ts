import { Injectable } from '@nestjs/common';
import type { AlertChannel } from '@gatehouse/domain';
import { AlertLogRepository, Transactions, type AlertLogEntryEntity } from '@gatehouse/persistence';
import { AuditService } from '../audit/audit.service.js';

/** Maximum number of alerts in the list. */
const LIST_LIMIT = 50;

/** Lists alerts, and queues test alerts for a worker, because workers send all alerts. */
@Injectable()
export class AlertLogService {
  constructor(
    private readonly log: AlertLogRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  list(): Promise<AlertLogEntryEntity[]> {
    return this.log.listNewest(LIST_LIMIT);
  }

  sendTest(channel: AlertChannel): Promise<void> {
    return this.transactions.run(async (tx) => {
      const targetId = await this.log.queueTest(tx, channel);
      this.audit.record(tx, { action: 'alert.tested', organizationId: null, projectId: null, targetId });
    });
  }
}
