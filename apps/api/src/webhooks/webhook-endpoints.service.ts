import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '#auth';
import {
  GatehouseError,
  invalidField,
  publicId,
  targetUrlFault,
  type AuditAction,
  type TargetPolicy,
} from '#domain';
import {
  ProjectsRepository,
  Transactions,
  WebhookEndpointsRepository,
  type WebhookEndpoint,
} from '#persistence';
import { Config, CursorCodec, formatWebhookSecret, Keyring, newId, secureBytes } from '#platform';
import { Audit, type AuditedAction } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/paging.js';
import type {
  CreateEndpointRequest,
  ListEndpointsQuery,
  UpdateEndpointRequest,
} from './dto/webhook-endpoint.request.js';

@Injectable()
export class WebhookEndpointsService {
  private readonly policy: TargetPolicy;

  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly projects: ProjectsRepository,
    private readonly audit: Audit,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly cursors: CursorCodec,
    config: Config,
  ) {
    this.policy = { production: config.production, allowedCidrs: config.webhooks.allowedCidrs };
  }

  /** @throws GatehouseError `validation_failed`, `insufficient_access`, `not_found`, `project_archived` */
  async create(
    caller: SecretKeyCaller,
    input: CreateEndpointRequest,
  ): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
    this.assertUrl(input.url);
    const owner = await this.ownerOf(caller, input);
    const id = newId();
    const secret = formatWebhookSecret(secureBytes(32));
    const endpoint = await this.transactions.run(async (tx) => {
      const inserted = await this.endpoints.insert(tx, {
        id,
        ...owner,
        url: input.url,
        description: input.description ?? null,
        events: input.events ?? ['*'],
        secret: this.keyring.encrypt('webhook-secret', id, secret),
      });
      await this.audit.record(tx, endpointAction('webhook_endpoint.created', id, owner));
      return inserted;
    });
    return { endpoint, secret };
  }

  /** @throws GatehouseError `invalid_cursor` */
  list({ reach }: SecretKeyCaller, query: ListEndpointsQuery): Promise<Page<WebhookEndpoint>> {
    const projectId = query.project_id ?? null;
    return readPage(this.cursors, ['endpoints', reach, projectId], query, (before, limit) =>
      this.endpoints.list(reach, { projectId, before }, limit),
    );
  }

  /** @throws GatehouseError `not_found` */
  get({ reach }: SecretKeyCaller, id: string): Promise<WebhookEndpoint> {
    return this.endpoints.get(reach, id);
  }

  /** @throws GatehouseError `not_found`, `validation_failed` */
  async update(
    { reach }: SecretKeyCaller,
    id: string,
    input: UpdateEndpointRequest,
  ): Promise<WebhookEndpoint> {
    if (input.url !== undefined) this.assertUrl(input.url);
    const { url, events, description } = input;
    const changes = {
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events }),
      ...(description === undefined ? {} : { description }),
    };
    return this.transactions.run(async (tx) => {
      const endpoint = await this.endpoints.update(tx, reach, id, changes);
      const details = { changed: Object.keys(changes) };
      await this.audit.record(tx, { ...endpointAction('webhook_endpoint.updated', id, endpoint), details });
      return endpoint;
    });
  }

  /** @throws GatehouseError `not_found` */
  async delete({ reach }: SecretKeyCaller, id: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const owner = await this.endpoints.delete(tx, reach, id);
      await this.audit.record(tx, endpointAction('webhook_endpoint.deleted', id, owner));
    });
  }

  private async ownerOf(
    caller: SecretKeyCaller,
    input: CreateEndpointRequest,
  ): Promise<Pick<WebhookEndpoint, 'organizationId' | 'projectId' | 'level'>> {
    if (input.level === 'organization') {
      if (caller.access !== 'organization') {
        throw new GatehouseError('insufficient_access', { members: { requiredAccess: 'organization' } });
      }
      if (input.project_id)
        throw invalidField('project_id', 'not_allowed', 'an organization endpoint has no project');
      return { organizationId: caller.project.organizationId, projectId: null, level: 'organization' };
    }
    const project = await this.projects.getActive(caller.reach, input.project_id ?? caller.project.id);
    return { organizationId: project.organizationId, projectId: project.id, level: 'project' };
  }

  private assertUrl(url: string): void {
    const fault = targetUrlFault(url, this.policy);
    if (fault) throw invalidField('url', 'invalid_target', `url ${fault}`);
  }
}

const endpointAction = (
  action: Extract<AuditAction, `webhook_endpoint.${string}`>,
  id: string,
  { organizationId, projectId }: Pick<WebhookEndpoint, 'organizationId' | 'projectId'>,
): AuditedAction => ({ action, organizationId, projectId, targetId: publicId('endpoint', id) });
