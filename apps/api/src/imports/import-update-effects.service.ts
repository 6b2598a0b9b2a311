import { Injectable } from '@nestjs/common';
import { changeableFields, type ProjectContext } from '@gatehouse/domain';
import { EventsRepository, type NewEvent, type StoredImportTarget, type Tx } from '@gatehouse/persistence';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { customerEvent } from '../events/customer-events.js';
import { ImportAdditionEventsService, type AppliedAdditions } from './import-addition-events.service.js';

/** A customer before and after an update. */
export interface AppliedUpdate extends AppliedAdditions {
  before: StoredImportTarget;
  /** Names of the changed fields and of the added credentials. */
  changed: string[];
}

/** Records an import's updates, and revokes the access that they invalidate. */
@Injectable()
export class ImportUpdateEffectsService {
  constructor(
    private readonly lifecycle: AccountLifecycleService,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly additions: ImportAdditionEventsService,
  ) {}

  /**
   * @param emitEvents if false, only the events that services need to reject access are recorded
   */
  async record(
    tx: Tx,
    project: ProjectContext,
    updates: AppliedUpdate[],
    emitEvents: boolean,
  ): Promise<void> {
    const additions = emitEvents
      ? await this.additions.create(tx, project, updates)
      : new Map<string, NewEvent[]>();
    for (const update of updates) {
      const { after, changed } = update;
      const others = changed.filter((name) => name !== 'disabledAt');
      if (others.length > 0)
        this.audit.record(tx, customerAction('customer.updated', after, project, { changed: others }));
      const events = emitEvents ? updateEvents(update, project) : [];
      if (changed.includes('email')) events.push(await this.recordEmail(tx, project, update));
      this.events.record(tx, [...events, ...(additions.get(after.id) ?? [])]);
      if (changed.includes('disabledAt')) await this.lifecycle.applyDisabled(tx, project, after);
    }
  }

  /**
   * Invalidates the links that were sent to the previous address.
   * @returns the event to record
   */
  private async recordEmail(
    tx: Tx,
    project: ProjectContext,
    { before, after }: AppliedUpdate,
  ): Promise<NewEvent> {
    await this.lifecycle.clearPreviousAddress(tx, project, before, 'address_changed');
    const { email } = before;
    return customerEvent('email.changed', after, project, { previous: { email } });
  }
}

function updateEvents({ before, after, changed }: AppliedUpdate, project: ProjectContext): NewEvent[] {
  const fields = changeableFields.filter((name) => changed.includes(name));
  if (fields.length === 0) return [];
  const previous = Object.fromEntries(fields.map((name) => [name, before[name]]));
  return [customerEvent('customer.updated', after, project, { previous })];
}
