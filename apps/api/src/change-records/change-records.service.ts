import { Injectable } from '@nestjs/common';
import {
  customerEventTypes,
  type Customer,
  type CustomerEventType,
  type ProjectContext,
} from '@gatehouse/domain';
import { EventsRepository, type Tx } from '@gatehouse/persistence';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerEvent } from '../events/customer-events.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';

/** Additional content of a change record. */
export interface ChangeContent {
  /** Additional event data. */
  data?: Record<string, unknown>;
  /** Audit entry details. */
  details?: Record<string, unknown>;
  /** True if the customer acted with a request that has no credential. */
  isByCustomer?: boolean;
  /** True to skip the email to the customer. */
  isSilent?: boolean;
}

/** Records customer changes. */
@Injectable()
export class ChangeRecordsService {
  constructor(
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly links: OneTimeLinksService,
  ) {}

  /** Records a change with everything that its event type declares: the event, the audit entry and the email. */
  async record(
    tx: Tx,
    type: CustomerEventType,
    customer: Customer,
    project: ProjectContext,
    { data, details, isByCustomer = false, isSilent = false }: ChangeContent = {},
  ): Promise<void> {
    const { action, mail } = customerEventTypes[type];
    this.events.record(tx, [customerEvent(type, customer, project, data)]);
    if (action) {
      const audited = customerAction(action, customer, project, details);
      this.audit.record(tx, isByCustomer ? { ...audited, customerId: customer.id } : audited);
    }
    if (mail && !isSilent) await this.links.notify(tx, mail, customer, project);
  }
}
