import { Injectable } from '@nestjs/common';
import { GatehouseError } from '@gatehouse/domain';
import { Transactions } from '@gatehouse/persistence';
import { AuditService } from '../audit/audit.service.js';
import { SystemMailsService } from '../mail/system-mails.service.js';

/** Creates test emails. A worker sends them like all other emails. */
@Injectable()
export class TestMailsService {
  constructor(
    private readonly mails: SystemMailsService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /** @throws GatehouseError `conflict` without a mail server */
  async send(to: string): Promise<void> {
    if (!this.mails.isEnabled) {
      throw new GatehouseError('conflict', { detail: 'No mail server is configured. Set SMTP_URL.' });
    }
    await this.transactions.run(async (tx) => {
      const targetId = await this.mails.create(tx, 'test', to);
      this.audit.record(tx, { action: 'mail.tested', organizationId: null, projectId: null, targetId });
    });
  }
}
