import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  auditChanges,
  changedFields,
  GatehouseError,
  type AuditAction,
  type Organization,
} from '@gatehouse/domain';
import {
  EventsRepository,
  OrganizationsRepository,
  Transactions,
  type CappedCount,
  type NewEvent,
} from '@gatehouse/persistence';
import { CursorCodec, newId } from '@gatehouse/platform';
import { AuditService, type AuditedAction } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/lists/paging.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import type {
  CountOrganizationsQuery,
  CreateOrganizationRequest,
  SearchOrganizationsQuery,
  UpdateOrganizationRequest,
} from './dto/organization.request.js';
import { OrganizationResponse } from './dto/organization.response.js';

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns the caller's organization and the organizations that it created, newest first.
   * @throws GatehouseError `invalid_cursor`
   */
  list({ accessScope }: ManagementCaller, query: SearchOrganizationsQuery): Promise<Page<Organization>> {
    const { q = null } = query;
    return readPage(this.cursors, ['organizations', accessScope.organizationIds, q], query, (before, limit) =>
      this.organizations.list(accessScope, q, before, limit),
    );
  }

  count({ accessScope }: ManagementCaller, { q }: CountOrganizationsQuery): Promise<CappedCount> {
    return this.organizations.count(accessScope, q ?? null);
  }

  /** @throws GatehouseError `not_found` */
  get({ accessScope }: ManagementCaller, id: string): Promise<Organization> {
    return this.organizations.get(accessScope, id);
  }

  /**
   * Creates an organization. Its parent is the caller's organization, or null if the caller has none.
   * @throws GatehouseError `slug_taken`
   */
  create({ project }: ManagementCaller, { name, slug }: CreateOrganizationRequest): Promise<Organization> {
    const parentId = project?.organizationId ?? null;
    return this.transactions.join(async (tx) => {
      const organization = await this.organizations.insert(tx, { id: newId(), name, slug, parentId });
      if (!organization) throw new GatehouseError('slug_taken');
      // The event belongs to the parent organization, because the new organization cannot have an endpoint yet.
      this.events.record(tx, [
        organizationEvent('organization.created', parentId ?? organization.id, organization),
      ]);
      this.audit.record(tx, organizationAction('organization.created', organization.id));
      return organization;
    });
  }

  /**
   * Applies a merge patch. A patch without changes creates no event and does not change `updatedAt`.
   * @throws GatehouseError `not_found`, `precondition_failed`
   */
  update(
    { accessScope }: ManagementCaller,
    id: string,
    input: UpdateOrganizationRequest,
    precondition: Precondition,
  ): Promise<Organization> {
    return this.transactions.join(async (tx) => {
      // The lock prevents concurrent patches from overwriting each other's changes.
      const before = await this.organizations.lock(tx, accessScope, id);
      precondition.assert(OrganizationResponse.from(before));
      const { name, billingReturnOrigins } = before;
      const sent = input.billingReturnOrigins;
      const after = {
        name: input.name ?? name,
        billingReturnOrigins: sent === undefined ? billingReturnOrigins : (sent ?? []),
      };
      const fields = { name, billingReturnOrigins };
      const previous = changedFields(fields, after);
      if (Object.keys(previous).length === 0) return before;
      const organization = await this.organizations.update(tx, { id, ...after });
      this.events.record(tx, [organizationEvent('organization.updated', id, organization, { previous })]);
      const changed = Object.keys(previous);
      this.audit.record(tx, {
        ...organizationAction('organization.updated', id),
        details: { changed, changes: auditChanges(fields, after) },
      });
      return organization;
    });
  }
}

const organizationEvent = (
  type: 'organization.created' | 'organization.updated',
  organizationId: string,
  organization: Organization,
  data: Record<string, unknown> = {},
): NewEvent => ({
  type,
  organizationId,
  projectId: null,
  customerId: null,
  data: { organization: OrganizationResponse.from(organization), ...data },
});

const organizationAction = (
  action: Extract<AuditAction, `organization.${string}`>,
  organizationId: string,
): AuditedAction => ({ action, organizationId, projectId: null, targetId: organizationId });
