import { Injectable } from '@nestjs/common';
import { auditChanges, GatehouseError, invalidField, type Operator } from '@gatehouse/domain';
import { OperatorsRepository, OrganizationsRepository, type Tx } from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import { RunningApisService } from '../running-apis/running-apis.service.js';
import { OperatorResponse, operatorVolatileFields } from './dto/operator.response.js';
import { OperatorNoticesService, type NoticeActor } from './operator-notices.service.js';

/** An operator's changeable fields. Omitted fields stay as they are. */
export type OperatorChange = Partial<Pick<Operator, 'role' | 'name' | 'organizationIds'>>;

/** Changes operators' access. A change takes effect with the next request in their sessions. */
@Injectable()
export class OperatorChangesService {
  constructor(
    private readonly operators: OperatorsRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly apis: RunningApisService,
    private readonly notices: OperatorNoticesService,
    private readonly audit: AuditService,
    private readonly config: Config,
  ) {}

  /**
   * Locks the active admins and returns their ids. One of them must remain, so every transaction that changes the
   * access of operators locks them first. Admins without a password count only if single sign-on is required.
   */
  lockAdmins(tx: Tx): Promise<string[]> {
    return this.operators.lockActiveAdmins(tx, this.config.operatorOidc?.isRequired ?? false);
  }

  /**
   * Changes an operator, records the previous and the new access in the audit log, and notifies the admins.
   * @param actor an operator, or another cause of the change, which has no `operatorId`
   * @param precondition the condition of the PATCH request
   * @throws GatehouseError `not_found`, `precondition_failed`, `last_admin`, `conflict` if the actor would change their
   * own access or sets a limit while an older API process is running, `validation_failed` for an organization that does
   * not exist
   */
  async apply(
    tx: Tx,
    actor: NoticeActor,
    id: string,
    change: OperatorChange,
    precondition?: Precondition,
  ): Promise<Operator> {
    const admins = await this.lockAdmins(tx);
    const before = await this.operators.lock(tx, id);
    precondition?.assert(OperatorResponse.from(before), operatorVolatileFields);
    const organizationIds = await this.resolveOrganizations(
      tx,
      change.organizationIds,
      before.organizationIds,
    );
    const { role = before.role, name = before.name } = change;
    const isNewRole = role !== before.role;
    const isNewLimit = String(organizationIds) !== String(before.organizationIds);
    const changed = [
      ...(isNewRole ? ['role'] : []),
      ...(name === before.name ? [] : ['name']),
      ...(isNewLimit ? ['organizationIds'] : []),
    ];
    if (changed.length === 0) return before;
    if (role !== 'admin' || organizationIds) assertNotLastAdmin(admins, id);
    if (isNewRole) assertNotSelf(actor, id, 'You cannot change your own role.');
    if (isNewLimit) assertNotSelf(actor, id, 'You cannot limit yourself to organizations.');
    const { cause, caller } = actor;
    this.audit.record(tx, {
      ...operatorAction('operator.updated', before, {
        changed,
        ...(cause && { by: cause }),
        ...(isNewRole && { from: before.role, to: role }),
        ...((isNewRole || isNewLimit) && {
          changes: {
            ...auditChanges({ role: before.role }, { role }),
            // The lists are not truncated, because two long ones could then become the same string.
            ...(isNewLimit && { organizationIds: { from: before.organizationIds, to: organizationIds } }),
          },
        }),
      }),
      operatorId: caller.operatorId ?? id,
    });
    if (isNewRole)
      await this.notices.notifyAdmins(tx, 'role_changed', actor, before, { role, previousRole: before.role });
    if (isNewLimit) {
      const organizationCount = organizationIds?.length ?? null;
      await this.notices.notifyAdmins(tx, 'organizations_changed', actor, before, { organizationCount });
    }
    return this.operators.update(tx, id, { role, name, organizationIds });
  }

  /**
   * Returns the organizations to limit an operator to, sorted and without duplicates.
   * @param current the limit to keep if none is requested
   * @throws GatehouseError `validation_failed` for an organization that does not exist, `conflict` for a new limit
   * while an older API process, which would ignore it, is running
   */
  async resolveOrganizations(
    tx: Tx,
    requested: string[] | null | undefined,
    current: string[] | null = null,
  ): Promise<string[] | null> {
    if (!requested) return requested === undefined ? current : null;
    const ids = [...new Set(requested)].sort();
    if ((await this.organizations.findExisting(tx, ids)).length < ids.length)
      throw invalidField('organizationIds', 'unknown', 'organizationIds contains an unknown organization');
    if (String(ids) !== String(current)) await this.apis.assertNoOlderApi(tx, 'limit');
    return ids;
  }
}

/** @throws GatehouseError `conflict` */
export function assertNotSelf({ caller }: NoticeActor, id: string, detail: string): void {
  if (id === caller.operatorId) throw new GatehouseError('conflict', { detail });
}

/** @throws GatehouseError `last_admin` */
export function assertNotLastAdmin(activeAdmins: string[], id: string): void {
  if (activeAdmins.length === 1 && activeAdmins[0] === id) throw new GatehouseError('last_admin');
}
