import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  applyProviderPatch,
  auditChanges,
  defaultProviderSettings,
  GatehouseError,
  issuerErrors,
  MAX_IDENTITY_PROVIDERS,
  providerErrors,
  providerWarnings,
  type AuditAction,
  type FieldError,
  type Project,
  type ProjectSettings,
  type ProviderDomain,
  type ProviderSettings,
  type TargetPolicy,
} from '@gatehouse/domain';
import {
  IdentityProvidersRepository,
  ProjectsRepository,
  Transactions,
  type StoredProvider,
  type Tx,
} from '@gatehouse/persistence';
import { Config, CursorCodec, newId } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { readPage, type Page, type PageQuery } from '../http/lists/paging.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import { RunningApisService } from '../running-apis/running-apis.service.js';
import type {
  CreateIdentityProviderRequest,
  UpdateIdentityProviderRequest,
} from './dto/identity-provider.request.js';
import { IdentityProviderResponse } from './dto/identity-provider.response.js';
import { ProjectProvidersService } from './project-providers.service.js';
import { IdentityProtocolsService } from './protocols/identity-protocols.service.js';
import { ProviderDomainsService } from './provider-domains.service.js';
import { StoredSettingsService } from './stored-settings.service.js';

/** The settings that are never returned. Setting a secret always counts as a change. */
const secretNames = ['clientSecret', 'privateKey'] as const;

/** Manages project identity providers. */
@Injectable()
export class IdentityProvidersService {
  private readonly policy: TargetPolicy;

  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly projects: ProjectsRepository,
    private readonly projectProviders: ProjectProvidersService,
    private readonly domains: ProviderDomainsService,
    private readonly apis: RunningApisService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly settings: StoredSettingsService,
    private readonly protocols: IdentityProtocolsService,
    private readonly cursors: CursorCodec,
    config: Config,
  ) {
    this.policy = { production: config.production, allowedCidrs: config.webhooks.allowedCidrs };
  }

  /** Returns a project's providers, newest first. @throws GatehouseError `not_found`, `invalid_cursor` */
  async list(
    { accessScope }: ManagementCaller,
    projectId: string,
    query: PageQuery,
  ): Promise<Page<IdentityProviderResponse>> {
    const { settings } = await this.projects.get(accessScope, projectId);
    return readPage(this.cursors, ['identity-providers', projectId], query, async (before, limit) => {
      // All providers are loaded, because their number is limited.
      const providers = await this.providers.list(projectId);
      const page = providers.filter(({ id }) => before === null || id < before).slice(0, limit);
      const domains = await this.domains.list(projectId, page);
      const domainsOf = (id: string) => domains.filter(({ providerId }) => providerId === id);
      return page.map((provider) => this.toResponse(provider, domainsOf(provider.id), settings));
    });
  }

  /** @throws GatehouseError `not_found` */
  async get(
    { accessScope }: ManagementCaller,
    projectId: string,
    id: string,
  ): Promise<IdentityProviderResponse> {
    return this.load(await this.projects.get(accessScope, projectId), id);
  }

  /**
   * @throws GatehouseError `validation_failed`, `not_found`, `project_archived`, `slug_taken`, `conflict` for too many
   * providers, or while an API process on an earlier version is running
   */
  create(
    { accessScope }: ManagementCaller,
    projectId: string,
    input: CreateIdentityProviderRequest,
  ): Promise<IdentityProviderResponse> {
    const { type, slug = type, issuer = null } = input;
    const id = newId();
    const preset = this.protocols.getPreset(type);
    const defaults = defaultProviderSettings(preset);
    const provider = {
      ...{ id, projectId, type, slug, issuer: issuer ?? preset.issuer },
      ...applyProviderPatch(defaults, defaults, input),
    };
    const { errors, stored } = this.settings.change(id, type, null, { ...input });
    const domains = input.domains ?? [];
    assertValid([
      ...issuerErrors(type, preset, issuer, this.policy),
      ...errors,
      ...providerErrors(preset, { ...provider, domains }),
    ]);
    return this.transactions.join(async (tx) => {
      const project = await this.lockProject(tx, accessScope, projectId);
      const { total } = await this.providers.count(tx, projectId);
      if (total >= MAX_IDENTITY_PROVIDERS)
        throw new GatehouseError('conflict', {
          detail: `The project has ${total} identity providers, which is the maximum. Delete one first.`,
        });
      if (provider.enabled) await this.apis.assertNoOlderApi(tx);
      const row = { ...provider, ...stored, issuer: provider.issuer! };
      const wasInserted = await this.providers.insert(tx, row);
      if (!wasInserted) throw new GatehouseError('slug_taken');
      await this.domains.applyChange(tx, null, provider, domains);
      this.record(tx, 'identity_provider.created', project, id, { type });
      return this.load(project, id, tx);
    });
  }

  /**
   * Merges a patch. A patch without changes does not change `updatedAt`. Each secret counts as a change.
   * @throws GatehouseError `validation_failed`, `not_found`, `project_archived`, `precondition_failed`, `conflict` if
   * it turns off the last sign-in method, or turns on the provider while an API process on an earlier version is
   * running
   */
  update(
    { accessScope }: ManagementCaller,
    projectId: string,
    id: string,
    patch: UpdateIdentityProviderRequest,
    precondition: Precondition,
  ): Promise<IdentityProviderResponse> {
    return this.transactions.join(async (tx) => {
      const project = await this.lockProject(tx, accessScope, projectId);
      const before = await this.providers.lock(tx, projectId, id);
      const oldDomains = await this.domains.list(projectId, [before], tx);
      const current = this.toResponse(before, oldDomains, project.settings);
      precondition.assert(current);
      const preset = this.protocols.getPreset(before.type);
      const fields = applyProviderPatch(defaultProviderSettings(preset), before, patch);
      const { errors, described, stored } = this.settings.change(id, before.type, before, { ...patch });
      const oldNames = oldDomains.map(({ domain }) => domain);
      const domains = patch.domains === undefined ? oldNames : (patch.domains ?? []);
      assertValid([...errors, ...providerErrors(preset, { ...before, ...fields, domains })]);
      if (fields.enabled && !before.enabled) await this.apis.assertNoOlderApi(tx);
      if (!fields.enabled) await this.assertNotLastMethod(tx, project, before);
      const updated = inOrder(fields, described);
      const old = pick(current, Object.keys(updated));
      const changed = [
        ...Object.keys(updated).filter((name) => !isDeepStrictEqual(updated[name], old[name])),
        ...secretNames.filter((name) => patch[name] !== undefined),
        ...(isSameSet(domains, oldNames) ? [] : ['domains']),
      ];
      if (changed.length === 0) return current;
      await this.providers.update(tx, projectId, id, { ...fields, ...stored });
      await this.domains.applyChange(tx, before, { ...before, ...fields }, domains);
      const changes = auditChanges(
        { ...old, domains: oldNames.toSorted() },
        { ...updated, domains: domains.toSorted() },
      );
      this.record(tx, 'identity_provider.updated', project, id, { changed, changes });
      return this.load(project, id, tx);
    });
  }

  /**
   * Deletes a provider without identities.
   * @throws GatehouseError `not_found`, `project_archived`, `conflict` if customers have identities, or could no longer
   *   sign in
   */
  async delete({ accessScope }: ManagementCaller, projectId: string, id: string): Promise<void> {
    await this.transactions.join(async (tx) => {
      const project = await this.lockProject(tx, accessScope, projectId);
      const provider = await this.providers.lockToDelete(tx, projectId, id);
      const count = await this.providers.countIdentities(tx, id);
      if (count > 0)
        throw new GatehouseError('conflict', {
          detail: `Customers have ${count} ${count === 1 ? 'identity' : 'identities'} at this provider. Set enabled to false to turn it off.`,
        });
      await this.assertNotLastMethod(tx, project, provider);
      await this.providers.delete(tx, projectId, id);
      this.record(tx, 'identity_provider.deleted', project, id, { type: provider.type });
    });
  }

  /** Locks the project, so that neither its settings nor its other providers change at the same time. */
  private async lockProject(
    tx: Tx,
    accessScope: ManagementCaller['accessScope'],
    id: string,
  ): Promise<Project> {
    const project = await this.projects.lock(tx, accessScope, id);
    if (project.archivedAt) throw new GatehouseError('project_archived');
    return project;
  }

  /** Checks that customers can still sign in without this provider. @throws GatehouseError `conflict` */
  private async assertNotLastMethod(tx: Tx, project: Project, { enabled }: StoredProvider): Promise<void> {
    const { password, emailCode } = project.settings.signIn;
    if (!enabled || password || emailCode) return;
    if ((await this.providers.count(tx, project.id)).enabled > 1) return;
    throw new GatehouseError('conflict', {
      detail:
        'Customers could no longer sign in. Turn on signIn.password, signIn.emailCode or another provider first.',
    });
  }

  private async load(
    { id: projectId, settings }: Project,
    id: string,
    tx?: Tx,
  ): Promise<IdentityProviderResponse> {
    const provider = await this.providers.get(projectId, id, tx);
    return this.toResponse(provider, await this.domains.list(projectId, [provider], tx), settings);
  }

  private toResponse(
    provider: StoredProvider,
    domains: ProviderDomain[],
    settings: ProjectSettings,
  ): IdentityProviderResponse {
    const names = domains.map(({ domain }) => domain);
    const preset = this.protocols.getPreset(provider.type);
    const warnings = providerWarnings(preset, { ...provider, domains: names }, settings);
    const callbackUrl = this.projectProviders.callbackUrl(provider.id);
    return IdentityProviderResponse.from(
      provider,
      this.settings.describe(provider),
      domains,
      warnings,
      callbackUrl,
    );
  }

  private record(
    tx: Tx,
    action: Extract<AuditAction, `identity_provider.${string}`>,
    { organizationId, id: projectId }: Project,
    targetId: string,
    details: Record<string, unknown>,
  ): void {
    this.audit.record(tx, { action, organizationId, projectId, targetId, details });
  }
}

type Fields = Record<string, unknown>;

/**
 * Returns all visible fields in order: the name, the protocol's fields, and the other settings. Secrets are recorded
 * separately.
 */
const inOrder = ({ name, ...settings }: ProviderSettings, described: Fields): Fields => {
  const { hasClientSecret: _secret, hasPrivateKey: _key, ...protocolFields } = described;
  return { name, ...protocolFields, ...settings };
};

const pick = (fields: object, names: string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, (fields as Fields)[name]]));

/** @throws GatehouseError `validation_failed` if there are errors */
function assertValid(errors: FieldError[]): void {
  if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
}

/** Returns true if two lists without duplicates contain the same strings. */
const isSameSet = (one: string[], other: string[]): boolean =>
  one.length === other.length && one.every((text) => other.includes(text));
