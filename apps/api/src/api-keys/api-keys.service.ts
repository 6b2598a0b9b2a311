import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  apiKeyResource,
  auditChanges,
  assertGrantWithin,
  GatehouseError,
  invalidField,
  MAX_TIME_MS,
  secretKeyLimit,
  type ApiKey,
  type AuditChanges,
  type KeyGrant,
  type Project,
} from '@gatehouse/domain';
import {
  ApiKeysRepository,
  EventsRepository,
  OrganizationsRepository,
  ProjectsRepository,
  Transactions,
  type NewApiKey,
  type Tx,
} from '@gatehouse/persistence';
import { CursorCodec, newId, generateApiKey, now } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/lists/paging.js';
import { parseTime } from '../http/input/time-field.js';
import type { CreateApiKeyRequest, ListApiKeysQuery, RotateApiKeyRequest } from './dto/api-key.request.js';

const DEFAULT_OVERLAP_SECONDS = 86_400;

type KeyAction = 'api_key.created' | 'api_key.rotated' | 'api_key.revoked';

/** A newly created key with its value, which is returned only once. */
export interface CreatedApiKey {
  apiKey: ApiKey;
  value: string;
}

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly apiKeys: ApiKeysRepository,
    private readonly projects: ProjectsRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
  ) {}

  /** @throws GatehouseError `not_found`, `invalid_cursor` */
  async list(
    { accessScope }: ManagementCaller,
    projectId: string,
    query: ListApiKeysQuery,
  ): Promise<Page<ApiKey>> {
    await this.projects.get(accessScope, projectId);
    const { state = null } = query;
    return readPage(this.cursors, ['api-keys', projectId, state], query, (before, limit) =>
      this.apiKeys.list(projectId, state, before, limit),
    );
  }

  /** @throws GatehouseError `not_found` */
  async get({ accessScope }: ManagementCaller, projectId: string, id: string): Promise<ApiKey> {
    await this.projects.get(accessScope, projectId);
    return this.apiKeys.get(projectId, id);
  }

  /**
   * Creates a key whose permissions and requests per second do not exceed the caller's (requirement AK-07).
   * @throws GatehouseError `validation_failed`, `insufficient_scope`, `insufficient_access`, `not_found`,
   *   `project_archived`
   */
  create(caller: ManagementCaller, projectId: string, input: CreateApiKeyRequest): Promise<CreatedApiKey> {
    const grant = resolveGrant(input);
    assertGrantWithin(caller, grant);
    const expiresAt = parseTime(input.expiresAt);
    if (expiresAt && expiresAt <= now()) {
      throw invalidField('expiresAt', 'invalid', 'expiresAt must be in the future');
    }
    const { type = 'secret', rateLimit = null } = input;
    assertRateLimitAllowed(caller, type, rateLimit);
    return this.transactions.join(async (tx) => {
      const project = await this.lockActive(tx, caller, projectId);
      assertKeyAccessWithin(caller, grant, project);
      const key = { name: input.name, type, ...grant, rateLimit, expiresAt, rotatedFrom: null };
      return this.issueKey(tx, project, key, 'api_key.created');
    });
  }

  /**
   * Revokes a key. Every API process rejects it within one second. Does nothing if the key is already revoked.
   * @throws GatehouseError `not_found`, `insufficient_scope` and `insufficient_access` for a key with more
   *   permissions than the caller, `last_organization_key`
   */
  async revoke(caller: ManagementCaller, projectId: string, id: string): Promise<void> {
    const { organizationId } = await this.projects.get(caller.accessScope, projectId);
    const key = await this.apiKeys.get(projectId, id);
    // Without this check, a key with few permissions could revoke all other keys and interrupt the service.
    assertGrantWithin(caller, key);
    const { access } = key;
    await this.transactions.join(async (tx) => {
      if (access === 'organization') {
        await this.organizations.lock(tx, caller.accessScope, organizationId);
        const issuerKeys = await this.apiKeys.listOrganizationIssuerKeys(tx, organizationId);
        if (issuerKeys.length === 1 && issuerKeys[0]!.id === id)
          throw new GatehouseError('last_organization_key');
      }
      const revoked = await this.apiKeys.revoke(tx, projectId, id);
      if (revoked) this.record(tx, 'api_key.revoked', revoked);
    });
  }

  /**
   * Creates a key's successor, with the same permissions and the same lifetime. The previous key expires after the
   * overlap.
   * @throws GatehouseError `validation_failed`, `not_found`, `insufficient_scope` and `insufficient_access` for a key with more
   *   permissions than the caller, `project_archived`, `api_key_not_rotatable`
   */
  rotate(
    caller: ManagementCaller,
    projectId: string,
    id: string,
    { overlapSeconds = DEFAULT_OVERLAP_SECONDS, rateLimit }: RotateApiKeyRequest,
  ): Promise<CreatedApiKey> {
    return this.transactions.join(async (tx) => {
      const project = await this.lockActive(tx, caller, projectId);
      const previousKey = await this.apiKeys.get(projectId, id, tx);
      // The response contains the new key's value: without this check, a key could obtain any other key's permissions.
      assertGrantWithin(caller, previousKey);
      assertKeyAccessWithin(caller, previousKey, project);
      if (!(await this.apiKeys.expireAfterOverlap(tx, projectId, id, overlapSeconds))) {
        throw new GatehouseError('api_key_not_rotatable');
      }
      const { name, type, access, scopes } = previousKey;
      const newLimit = rateLimit === undefined ? previousKey.rateLimit : rateLimit;
      assertRateLimitAllowed(caller, type, newLimit);
      const key = {
        name,
        type,
        access,
        scopes,
        rateLimit: newLimit,
        expiresAt: expiryWithSameLifetime(previousKey),
        rotatedFrom: id,
      };
      const changes = auditChanges({ rateLimit: previousKey.rateLimit }, { rateLimit: newLimit });
      return this.issueKey(tx, project, key, 'api_key.rotated', changes);
    });
  }

  private async lockActive(tx: Tx, { accessScope }: ManagementCaller, projectId: string): Promise<Project> {
    const project = await this.projects.lock(tx, accessScope, projectId);
    if (project.archivedAt) throw new GatehouseError('project_archived');
    return project;
  }

  private async issueKey(
    tx: Tx,
    project: Project,
    key: Pick<NewApiKey, 'name' | 'type' | 'access' | 'scopes' | 'rateLimit' | 'expiresAt' | 'rotatedFrom'>,
    action: KeyAction,
    changes: AuditChanges = {},
  ): Promise<CreatedApiKey> {
    const { value, stored } = generateApiKey(key.type);
    const owner = { organizationId: project.organizationId, projectId: project.id };
    const apiKey = await this.apiKeys.insert(tx, { id: newId(), ...owner, ...key, ...stored });
    this.record(tx, action, apiKey, changes);
    return { apiKey, value };
  }

  private record(tx: Tx, action: KeyAction, key: ApiKey, changes: AuditChanges = {}): void {
    const { organizationId, projectId, type, access, scopes, rateLimit } = key;
    const event = { type: action, organizationId, projectId, customerId: null };
    this.events.record(tx, [{ ...event, data: { apiKey: apiKeyResource(key) } }]);
    const details = {
      'api_key.created': { type, access, scopes, ...(rateLimit !== null && { rateLimit }) },
      'api_key.rotated': { successorId: key.id, ...(Object.keys(changes).length > 0 && { changes }) },
      'api_key.revoked': {},
    };
    const targetId = action === 'api_key.rotated' ? key.rotatedFrom! : key.id;
    this.audit.record(tx, { action, organizationId, projectId, targetId, details: details[action] });
  }
}

/**
 * Returns a new key's access and scopes.
 * @throws GatehouseError `validation_failed` for access or scopes that a publishable key cannot have
 */
function resolveGrant(input: CreateApiKeyRequest): Pick<ApiKey, keyof KeyGrant> {
  if (input.type !== 'publishable') {
    return {
      access: input.access ?? 'project',
      scopes: input.scopes ?? ['customer:read', 'customer:write'],
    };
  }
  if (input.scopes && input.scopes.length > 0) {
    throw invalidField('scopes', 'not_allowed', 'scopes must be empty for a publishable key');
  }
  if (input.access === 'organization') {
    throw invalidField('access', 'not_allowed', 'access must be project for a publishable key');
  }
  return { access: 'project', scopes: [] };
}

/**
 * Rejects a key with organization access if the operator can access the key's organization only through its parent
 * organization. The key could access organizations that the key's organization created, but the operator cannot.
 * @throws GatehouseError `insufficient_access`
 */
function assertKeyAccessWithin(
  { kind, accessScope }: ManagementCaller,
  { access }: Pick<ApiKey, 'access'>,
  { organizationId }: Project,
): void {
  if (kind !== 'operator' || access === 'project' || !accessScope.organizationIds) return;
  if (!accessScope.organizationIds.includes(organizationId))
    throw new GatehouseError('insufficient_access', {
      members: { requiredAccess: access },
      detail: 'Your access does not include all organizations that this key could access.',
    });
}

/**
 * Rejects a rate limit for a publishable key, because its requests are limited per client IP. Also rejects a limit
 * above the limit of the secret key that creates or rotates the key, so that one project cannot burden the others
 * (docs/adr/0060).
 * @throws GatehouseError `validation_failed`
 */
function assertRateLimitAllowed(
  caller: ManagementCaller,
  type: ApiKey['type'],
  rateLimit: number | null,
): void {
  if (rateLimit === null) return;
  if (type === 'publishable')
    throw invalidField('rateLimit', 'not_allowed', 'rateLimit must be null for a publishable key');
  if (caller.kind === 'operator') return;
  const max = Math.max(secretKeyLimit.quota, caller.rateLimit ?? 0);
  if (rateLimit > max)
    throw invalidField(
      'rateLimit',
      'not_allowed',
      `rateLimit must be at most ${max}; an operator can set more`,
    );
}

const expiryWithSameLifetime = ({ createdAt, expiresAt }: ApiKey): Date | null =>
  expiresAt &&
  new Date(Math.min(now().getTime() + expiresAt.getTime() - createdAt.getTime(), MAX_TIME_MS - 1));
