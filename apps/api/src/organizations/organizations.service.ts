import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '#auth';
import { changedFields, GatehouseError, type AuditAction, type Organization } from '#domain';
import { EventsRepository, OrganizationsRepository, Transactions, type NewEvent } from '#persistence';
import { CursorCodec, newId } from '#platform';
import { Audit, type AuditedAction } from '../audit/audit.service.js';
import { readPage, type Page, type PageQuery } from '../http/paging.js';
import type { CreateOrganizationRequest, UpdateOrganizationRequest } from './dto/organization.request.js';
import { OrganizationResponse } from './dto/organization.response.js';

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly events: EventsRepository,
    private readonly audit: Audit,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
  ) {}

  /** The caller's organization and those that it created, newest first. @throws GatehouseError `invalid_cursor` */
  list({ project }: SecretKeyCaller, query: PageQuery): Promise<Page<Organization>> {
    const { organizationId } = project;
    return readPage(this.cursors, ['organizations', organizationId], query, (before, limit) =>
      this.organizations.list(organizationId, before, limit),
    );
  }

  /** @throws GatehouseError `not_found` */
  get({ project }: SecretKeyCaller, id: string): Promise<Organization> {
    return this.organizations.get(project.organizationId, id);
  }

  /** Creates an organization below the caller's own. @throws GatehouseError `slug_taken` */
  create({ project }: SecretKeyCaller, { name, slug }: CreateOrganizationRequest): Promise<Organization> {
    const parentId = project.organizationId;
    return this.transactions.run(async (tx) => {
      const organization = await this.organizations.insert(tx, { id: newId(), name, slug, parentId });
      if (!organization) throw new GatehouseError('slug_taken');
      // Told to the parent: nobody can have an endpoint in the new one yet.
      await this.events.record(tx, [organizationEvent('organization.created', parentId, organization)]);
      await this.audit.record(tx, organizationAction('organization.created', organization.id));
      return organization;
    });
  }

  /**
   * Merges a patch. What changes nothing leaves no event and no other `updatedAt`.
   * @throws GatehouseError `not_found`
   */
  update({ project }: SecretKeyCaller, id: string, input: UpdateOrganizationRequest): Promise<Organization> {
    return this.transactions.run(async (tx) => {
      // Locked, so that of two patches at the same time neither loses what the other one sets.
      const before = await this.organizations.lock(tx, project.organizationId, id);
      const { name, billingReturnOrigins } = before;
      const sent = input.billingReturnOrigins;
      const after = {
        name: input.name ?? name,
        billingReturnOrigins: sent === undefined ? billingReturnOrigins : (sent ?? []),
      };
      const previous = changedFields({ name, billingReturnOrigins }, after);
      if (Object.keys(previous).length === 0) return before;
      const organization = await this.organizations.update(tx, { id, ...after });
      await this.events.record(tx, [
        organizationEvent('organization.updated', id, organization, { previous }),
      ]);
      const changed = Object.keys(previous);
      await this.audit.record(tx, {
        ...organizationAction('organization.updated', id),
        details: { changed },
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
