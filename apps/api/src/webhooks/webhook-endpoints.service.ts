import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '#auth';
import { GatehouseError, invalidField, targetUrlFault, type TargetPolicy } from '#domain';
import {
  ProjectsRepository,
  Transactions,
  WebhookEndpointsRepository,
  type WebhookEndpoint,
} from '#persistence';
import { Config, CursorCodec, formatWebhookSecret, Keyring, newId, secureBytes } from '#platform';
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
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly cursors: CursorCodec,
    config: Config,
  ) {
    this.policy = { production: config.production, allowedCidrs: config.webhooks.allowedCidrs };
  }

  /** @throws GatehouseError `validation_failed`, `insufficient_access` */
  async create(
    caller: SecretKeyCaller,
    input: CreateEndpointRequest,
  ): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
    this.assertUrl(input.url);
    const owner = await this.ownerOf(caller, input);
    const id = newId();
    const secret = formatWebhookSecret(secureBytes(32));
    const endpoint = await this.transactions.run((tx) =>
      this.endpoints.insert(tx, {
        id,
        ...owner,
        url: input.url,
        description: input.description ?? null,
        events: input.events ?? ['*'],
        secret: this.keyring.encrypt('webhook-secret', id, secret),
      }),
    );
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
    return this.transactions.run((tx) => this.endpoints.update(tx, reach, id, changes));
  }

  /** @throws GatehouseError `not_found` */
  async delete({ reach }: SecretKeyCaller, id: string): Promise<void> {
    await this.transactions.run((tx) => this.endpoints.delete(tx, reach, id));
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
    const project = await this.projects.find(caller.reach, input.project_id ?? caller.project.id);
    if (!project) throw new GatehouseError('not_found');
    return { organizationId: project.organizationId, projectId: project.id, level: 'project' };
  }

  private assertUrl(url: string): void {
    const fault = targetUrlFault(url, this.policy);
    if (fault) throw invalidField('url', 'invalid_target', `url ${fault}`);
  }
}
