import { Injectable } from '@nestjs/common';
import { changeableFields, type Customer, type ProjectContext } from '@gatehouse/domain';
import { EventsRepository, type NewEvent, type StoredImportTarget, type Tx } from '@gatehouse/persistence';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { CustomerAccessService } from '../customers/customer-access.service.js';
import { customerEvent } from '../events/customer-events.js';

/** A customer before and after an update. */
export interface AppliedUpdate {
  before: StoredImportTarget;
  after: Customer;
  /** The fields that have changed, and the names of what was added. */
  changed: string[];
}

/** Ends the access that updates of an import have made invalid, and records the updates. */
@Injectable()
export class ImportUpdateEffectsService {
  constructor(
    private readonly access: CustomerAccessService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
  ) {}

  /** @param emitEvents false: the updates are only audited */
  async record(
    tx: Tx,
    project: ProjectContext,
    updates: AppliedUpdate[],
    emitEvents: boolean,
  ): Promise<void> {
    const events: NewEvent[] = [];
    for (const update of updates) {
      const { before, after, changed } = update;
      const others = changed.filter((name) => name !== 'disabledAt');
      if (others.length > 0)
        this.audit.record(tx, customerAction('customer.updated', after, project, { changed: others }));
      events.push(...updateEvents(update, project));
      if (changed.includes('email')) await this.access.forgetEmail(tx, before);
      if (changed.includes('disabledAt')) events.push(...(await this.recordAccess(tx, project, update)));
    }
    if (emitEvents && events.length > 0) this.events.record(tx, events);
  }

  /** Ends the access of a customer who is now disabled. @returns the events to record */
  private async recordAccess(tx: Tx, project: ProjectContext, { after }: AppliedUpdate): Promise<NewEvent[]> {
    const action = after.disabledAt === null ? 'customer.enabled' : 'customer.disabled';
    this.audit.record(tx, customerAction(action, after, project));
    const revoked = after.disabledAt === null ? [] : await this.access.endAll(tx, after, project);
    return [customerEvent(action, after, project), ...revoked];
  }
}

function updateEvents({ before, after, changed }: AppliedUpdate, project: ProjectContext): NewEvent[] {
  const fields = changeableFields.filter((name) => changed.includes(name));
  if (fields.length === 0) return [];
  const previous = Object.fromEntries(fields.map((name) => [name, before[name]]));
  const { email } = before;
  return [
    customerEvent('customer.updated', after, project, { previous }),
    ...(fields.includes('email')
      ? [customerEvent('email.changed', after, project, { previous: { email } })]
      : []),
  ];
}
