import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  auditChanges,
  GatehouseError,
  invalidField,
  parseSearchTerm,
  withoutUrlPath,
  type TargetPolicy,
  type WebhookEndpoint,
} from '@gatehouse/domain';
import {
  OrganizationsRepository,
  ProjectsRepository,
  Transactions,
  WebhookEndpointsRepository,
  type CappedCount,
  type EndpointFilter,
  type WebhookEndpointChanges,
} from '@gatehouse/persistence';
import { Config, CursorCodec, formatWebhookSecret, Keyring, newId, secureBytes } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/lists/paging.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import { endpointAction } from './endpoint-action.js';
import { parseTargetUrl, webhookTargetPolicy } from './target-url.js';
import { assertHeaders, patchHeaders } from './endpoint-headers.js';
import type {
  CountEndpointsQuery,
  CreateEndpointRequest,
  SearchEndpointsQuery,
  UpdateEndpointRequest,
} from './dto/webhook-endpoint.request.js';
import { EndpointResponse } from './dto/webhook-endpoint.response.js';

/**
 * Maximum number of endpoints per project, and per organization at the organization level. Each event is matched
 * against every endpoint, and may be sent to all of them.
 */
const MAX_ENDPOINTS = 50;

@Injectable()
export class WebhookEndpointsService {
  private readonly policy: TargetPolicy;

  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly projects: ProjectsRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly cursors: CursorCodec,
    config: Config,
  ) {
    this.policy = webhookTargetPolicy(config);
  }

  /**
   * @throws GatehouseError `validation_failed`, `insufficient_access`, `not_found`, `project_archived`,
   *   `too_many_endpoints`
   */
  async create(
    caller: ManagementCaller,
    input: CreateEndpointRequest,
  ): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
    const url = parseTargetUrl(input.url, this.policy);
    assertHeaders(input.headers, false);
    const owner = await this.resolveOwner(caller, input);
    const id = newId();
    const secret = formatWebhookSecret(secureBytes(32));
    const endpoint = await this.transactions.join(async (tx) => {
      const fields = {
        id,
        ...owner,
        name: input.name ?? null,
        url,
        description: input.description ?? null,
        events: input.events ?? ['*'],
        secret: this.keyring.encrypt('webhook-secret', id, secret),
        ...patchHeaders(this.keyring, id, null, input.headers ?? null),
      };
      const inserted = await this.endpoints.insert(tx, fields, MAX_ENDPOINTS);
      if (!inserted) throw new GatehouseError('too_many_endpoints');
      this.audit.record(tx, endpointAction('webhook_endpoint.created', inserted));
      return inserted;
    });
    return { endpoint, secret };
  }

  /** @throws GatehouseError `invalid_cursor` */
  list({ accessScope }: ManagementCaller, query: SearchEndpointsQuery): Promise<Page<WebhookEndpoint>> {
    const filter = endpointFilter(query);
    return readPage(this.cursors, ['endpoints', accessScope, filter], query, (before, limit) =>
      this.endpoints.list(accessScope, filter, before, limit),
    );
  }

  count({ accessScope }: ManagementCaller, query: CountEndpointsQuery): Promise<CappedCount> {
    return this.endpoints.count(accessScope, endpointFilter(query));
  }

  /** @throws GatehouseError `not_found` */
  get({ accessScope }: ManagementCaller, id: string): Promise<WebhookEndpoint> {
    return this.endpoints.get(accessScope, id);
  }

  /** @throws GatehouseError `not_found`, `validation_failed`, `precondition_failed` */
  async update(
    { accessScope }: ManagementCaller,
    id: string,
    input: UpdateEndpointRequest,
    precondition: Precondition,
  ): Promise<WebhookEndpoint> {
    const url = input.url === undefined ? undefined : parseTargetUrl(input.url, this.policy);
    assertHeaders(input.headers, true);
    const { name, events, description, headers } = input;
    const changes: WebhookEndpointChanges = {
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events }),
      ...(description === undefined ? {} : { description }),
    };
    return this.transactions.join(async (tx) => {
      const before = await this.endpoints.lock(tx, accessScope, id);
      precondition.assert(EndpointResponse.from(before));
      if (headers !== undefined)
        Object.assign(changes, patchHeaders(this.keyring, id, before.headers, headers));
      const endpoint = await this.endpoints.update(tx, accessScope, id, changes);
      const details = {
        changed: Object.keys(changes).filter((name) => name !== 'headerNames'),
        changes: auditChanges(auditedFields(before), auditedFields(endpoint)),
      };
      this.audit.record(tx, { ...endpointAction('webhook_endpoint.updated', endpoint), details });
      return endpoint;
    });
  }

  /** @throws GatehouseError `not_found` */
  async delete({ accessScope }: ManagementCaller, id: string): Promise<void> {
    await this.transactions.join(async (tx) => {
      const owner = await this.endpoints.delete(tx, accessScope, id);
      this.audit.record(tx, endpointAction('webhook_endpoint.deleted', { id, ...owner }));
    });
  }

  private async resolveOwner(
    caller: ManagementCaller,
    input: CreateEndpointRequest,
  ): Promise<Pick<WebhookEndpoint, 'organizationId' | 'projectId' | 'level'>> {
    if (input.level === 'organization') {
      if (caller.access !== 'organization') {
        throw new GatehouseError('insufficient_access', { members: { requiredAccess: 'organization' } });
      }
      if (input.project_id)
        throw invalidField(
          'project_id',
          'not_allowed',
          'project_id must be omitted for an organization endpoint',
        );
      const organizationId = input.organization_id ?? caller.project?.organizationId;
      if (!organizationId) throw invalidField('organization_id', 'required', 'organization_id is required');
      const { id } = await this.organizations.get(caller.accessScope, organizationId);
      return { organizationId: id, projectId: null, level: 'organization' };
    }
    const projectId = input.project_id ?? caller.project?.id;
    if (!projectId) throw invalidField('project_id', 'required', 'project_id is required');
    const project = await this.projects.getActive(caller.accessScope, projectId);
    if (input.organization_id && input.organization_id !== project.organizationId) {
      await this.organizations.get(caller.accessScope, input.organization_id);
      throw invalidField(
        'organization_id',
        'conflict',
        'organization_id must be the organization of the project',
      );
    }
    return { organizationId: project.organizationId, projectId: project.id, level: 'project' };
  }
}

/** Returns the fields that the audit log may contain. Only the names of headers may be logged. */
const auditedFields = ({ name, url, description, events, headerNames }: WebhookEndpoint) => ({
  ...{ name, description, events },
  ...{ url: withoutUrlPath(url), headers: headerNames },
});

function endpointFilter(query: CountEndpointsQuery): EndpointFilter {
  const { project_id: projectId = null, status = null, q = null } = query;
  const term = q === null ? null : parseSearchTerm(q);
  const id = term?.kind === 'endpoint' ? term.id : null;
  return { projectId, status, id, contains: id === null ? q : null };
}
