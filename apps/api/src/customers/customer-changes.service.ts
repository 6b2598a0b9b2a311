import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  changeableFields,
  GatehouseError,
  pickDefined,
  invalidField,
  isMetadata,
  mergePatch,
  profileFields,
  type Customer,
  type ProjectContext,
  type AccessScope,
} from '@gatehouse/domain';
import {
  CustomerChangesRepository,
  CustomersRepository,
  EventsRepository,
  TokenSubjectsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { AccountLifecycleService } from '../accounts/account-lifecycle.service.js';
import { ChangeRecordsService } from '../change-records/change-records.service.js';
import { METADATA_RULE } from '../http/input/fields.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import { customerEvent } from '../events/customer-events.js';
import type { UpdateMeRequest } from './dto/customer.request.js';
import { CustomerResponse, customerVolatileFields } from './dto/customer.response.js';
import type { UpdateCustomerRequest } from './dto/update-customer.request.js';

/** Updates customers. An update that changes no value records no event and leaves `updatedAt` unchanged. */
@Injectable()
export class CustomerChangesService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly changes: CustomerChangesRepository,
    private readonly lifecycle: AccountLifecycleService,
    private readonly subjects: TokenSubjectsRepository,
    private readonly events: EventsRepository,
    private readonly records: ChangeRecordsService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Applies a merge patch from a server.
   * @throws GatehouseError `not_found`, `project_archived`, `precondition_failed`, `validation_failed` for metadata
   *   that becomes too large, `email_already_registered`, `external_id_taken`, `conflict` for an `externalId` that is
   *   the `sub` in tokens
   */
  async update(
    accessScope: AccessScope,
    id: string,
    patch: UpdateCustomerRequest,
    precondition: Precondition,
  ): Promise<Customer> {
    let projectId: string;
    try {
      return await this.change(accessScope, id, (before) => {
        ({ projectId } = before);
        precondition.assert(CustomerResponse.from(before), customerVolatileFields);
        return applyPatch(before, patch);
      });
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'email_already_registered') throw error;
      const other = await this.customers.findByEmail(projectId!, patch.email!);
      const members = other ? { customerId: other.id } : {};
      throw new GatehouseError(error.code, { ...error.details, members });
    }
  }

  /** Updates the fields that customers can change themselves. */
  async updateMe({ projectId, id }: Customer, patch: UpdateMeRequest): Promise<Customer> {
    const accessScope = { organizationIds: null, projectId };
    return this.change(accessScope, id, (before) => applyPatch(before, pickDefined(patch, profileFields)));
  }

  private change(
    accessScope: AccessScope,
    id: string,
    change: (before: Customer) => Customer,
  ): Promise<Customer> {
    return this.transactions.join(async (tx) => {
      // Locked, so that concurrent patches cannot overwrite each other.
      const { customer: before, project, time } = await this.changes.lockActive(tx, accessScope, id);
      const patched = change(before);
      const changed = changeableFields.filter((field) => !isDeepStrictEqual(before[field], patched[field]));
      if (changed.length === 0) return before;
      if (changed.includes('externalId')) {
        await this.assertSubjectIsUnused(tx, before, project);
        await this.subjects.assertNotAnotherCustomersId(tx, patched);
      }
      const after = { ...patched, updatedAt: time };
      tx.awaitWithCommit(this.changes.update(tx, after));
      const previous = Object.fromEntries(changed.map((field) => [field, before[field]]));
      const content = { data: { previous }, details: { changed } };
      await this.records.record(tx, 'customer.updated', after, project, content);
      if (after.email !== before.email) await this.recordEmailChange(tx, before, after, project);
      return after;
    });
  }

  /**
   * Checks that no token contains the `sub` that a new `externalId` would replace (docs/adr/0105).
   * @throws GatehouseError `conflict`
   */
  private async assertSubjectIsUnused(tx: Tx, { id }: Customer, { settings }: ProjectContext): Promise<void> {
    if (settings.tokenSubject === 'id' || !(await this.subjects.isUsedByCustomer(tx, id))) return;
    throw new GatehouseError('conflict', {
      detail:
        'externalId cannot change after the customer has signed in, because it is the sub of their tokens (setting tokenSubject).',
    });
  }

  /**
   * Records the address change, voids the links that were sent to the previous address, and clears its failed sign-ins.
   */
  private async recordEmailChange(
    tx: Tx,
    before: Customer,
    after: Customer,
    project: ProjectContext,
  ): Promise<void> {
    await this.lifecycle.clearPreviousAddress(tx, project, before, 'address_changed');
    const { email } = before;
    const event = customerEvent('email.changed', after, project, { previous: { email } });
    this.events.record(tx, [event]);
  }
}

/** Returns the customer with the patch applied. @throws GatehouseError `validation_failed` */
function applyPatch(before: Customer, patch: UpdateCustomerRequest): Customer {
  const { email = before.email } = patch;
  const remainsVerified = email === before.email && before.emailVerified;
  return {
    ...before,
    ...pickDefined(patch, changeableFields),
    emailVerified: patch.emailVerified ?? remainsVerified,
    metadata: applyMetadataPatch('metadata', before, patch),
    publicMetadata: applyMetadataPatch('publicMetadata', before, patch),
  };
}

function applyMetadataPatch(
  field: 'metadata' | 'publicMetadata',
  before: Customer,
  patch: UpdateCustomerRequest,
): Record<string, unknown> {
  const change = patch[field];
  if (change === undefined) return before[field];
  const merged = change === null ? {} : mergePatch(before[field], change);
  if (!isMetadata(merged)) throw invalidField(field, 'invalid', `${field} ${METADATA_RULE} after the merge`);
  return merged;
}
