import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  changeableFields,
  GatehouseError,
  givenFields,
  invalidField,
  mergePatch,
  notFound,
  oneTimeTokenKinds,
  profileFields,
  type Customer,
  type ProjectContext,
  type Reach,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  OneTimeTokensRepository,
  ProjectsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { isMetadata, METADATA_RULE } from '../http/fields.js';
import { customerEvent } from '../events/customer-events.js';
import type { UpdateMeRequest } from './dto/customer.request.js';
import type { UpdateCustomerRequest } from './dto/update-customer.request.js';

/** Changes what is known of customers. What changes nothing leaves no event and no other `updatedAt`. */
@Injectable()
export class CustomerChangesService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly projects: ProjectsRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Merges the patch of a server.
   * @throws GatehouseError `not_found`, `project_archived`, `validation_failed` for metadata that grow too large,
   *   `email_already_registered`, `external_id_taken`
   */
  async update(reach: Reach, id: string, patch: UpdateCustomerRequest): Promise<Customer> {
    const { project } = await this.customers.getActive(reach, id);
    try {
      return await this.change(project, id, (before) => applyPatch(before, patch));
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'email_already_registered') throw error;
      const other = await this.customers.findByEmail(project.id, patch.email!);
      const members = other ? { customerId: other.id } : {};
      throw new GatehouseError(error.code, { ...error.details, members });
    }
  }

  /** Changes the fields that customers set themselves. */
  async updateMe({ projectId, id }: Customer, patch: UpdateMeRequest): Promise<Customer> {
    const project = await this.projects.getContext(projectId);
    return this.change(project, id, (before) => applyPatch(before, givenFields(patch, profileFields)));
  }

  private change(
    project: ProjectContext,
    id: string,
    change: (before: Customer) => Customer,
  ): Promise<Customer> {
    return this.transactions.run(async (tx) => {
      // Locked, so that of two patches at the same time neither loses what the other one sets.
      const before = await this.customers.lock(tx, project.id, id);
      if (!before) throw notFound();
      const wanted = change(before);
      const changed = changeableFields.filter((field) => !isDeepStrictEqual(before[field], wanted[field]));
      if (changed.length === 0) return before;
      const after = await this.customers.update(tx, wanted);
      const previous = Object.fromEntries(changed.map((field) => [field, before[field]]));
      await this.events.record(tx, [customerEvent('customer.updated', after, project, { previous })]);
      await this.audit.record(tx, customerAction('customer.updated', after, project, { changed }));
      if (after.email !== before.email) await this.voidLinksToOldEmail(tx, before, after, project);
      return after;
    });
  }

  /** What was mailed to the address before opens nothing any more. */
  private async voidLinksToOldEmail(
    tx: Tx,
    { email }: Customer,
    after: Customer,
    project: ProjectContext,
  ): Promise<void> {
    await this.tokens.voidAll(tx, after.id, oneTimeTokenKinds);
    const event = customerEvent('email.changed', after, project, { previous: { email } });
    await this.events.record(tx, [event]);
  }
}

/** @throws GatehouseError `validation_failed` */
function applyPatch(before: Customer, patch: UpdateCustomerRequest): Customer {
  const { email = before.email } = patch;
  const keptVerified = email === before.email && before.emailVerified;
  return {
    ...before,
    ...givenFields(patch, changeableFields),
    emailVerified: patch.emailVerified ?? keptVerified,
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
