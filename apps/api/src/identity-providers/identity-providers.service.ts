import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  applyProviderPatch,
  auditChanges,
  defaultProviderSettings,
  GatehouseError,
  invalidField,
  issuerErrors,
  MAX_IDENTITY_PROVIDERS,
  providerErrors,
  providerPresets,
  type AuditAction,
  type Project,
  type ProjectSettings,
  type ProviderDomain,
  type TargetPolicy,
} from '@gatehouse/domain';
import {
  IdentityProvidersRepository,
  ProjectsRepository,
  Transactions,
  type ManagedProvider,
  type ProviderSecrets,
  type Tx,
} from '@gatehouse/persistence';
import { Config, CursorCodec, Keyring, newId, readSigningKey } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { readPage, type Page, type PageQuery } from '../http/paging.js';
import type { Precondition } from '../http/precondition.js';
import { RunningApisService } from '../running-apis/running-apis.service.js';
import type {
  CreateIdentityProviderRequest,
  UpdateIdentityProviderRequest,
} from './dto/identity-provider.request.js';
import { IdentityProviderResponse } from './dto/identity-provider.response.js';
import { ProjectProvidersService } from './project-providers.service.js';
import { ProviderDomainsService } from './provider-domains.service.js';

/** The secrets in a request. null removes the client secret. */
type SecretFields = Pick<UpdateIdentityProviderRequest, 'clientSecret' | 'privateKey'>;

/** Manages the identity providers of projects. */
@Injectable()
export class IdentityProvidersService {
  private readonly policy: TargetPolicy;

  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly projects: ProjectsRepository,
    private readonly project: ProjectProvidersService,
    private readonly domains: ProviderDomainsService,
    private readonly apis: RunningApisService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly cursors: CursorCodec,
    config: Config,
  ) {
    this.policy = { production: config.production, allowedCidrs: config.webhooks.allowedCidrs };
  }

  /** Returns providers of a project, newest first. @throws GatehouseError `not_found`, `invalid_cursor` */
  async list(
    { reach }: ManagementCaller,
    projectId: string,
    query: PageQuery,
  ): Promise<Page<IdentityProviderResponse>> {
    const { settings } = await this.projects.get(reach, projectId);
    return readPage(this.cursors, ['identity-providers', projectId], query, async (before, limit) => {
      // Their number is limited.
      const providers = await this.providers.list(projectId);
      const page = providers.filter(({ id }) => before === null || id < before).slice(0, limit);
      const domains = await this.domains.list(projectId, page);
      const domainsOf = (id: string) => domains.filter(({ providerId }) => providerId === id);
      return page.map((provider) => this.toResponse(provider, domainsOf(provider.id), settings));
    });
  }

  /** @throws GatehouseError `not_found` */
  async get({ reach }: ManagementCaller, projectId: string, id: string): Promise<IdentityProviderResponse> {
    return this.load(await this.projects.get(reach, projectId), id);
  }

  /**
   * @throws GatehouseError `validation_failed`, `not_found`, `project_archived`, `slug_taken`, `conflict` for too many
   *   providers, or while an api of an older version is running
   */
  create(
    { reach }: ManagementCaller,
    projectId: string,
    input: CreateIdentityProviderRequest,
  ): Promise<IdentityProviderResponse> {
    const { type, slug = type, issuer = null } = input;
    const id = newId();
    const provider = {
      ...{ id, projectId, type, slug, issuer: issuer ?? providerPresets[type].issuer },
      ...applyProviderPatch(type, defaultProviderSettings(type), input),
    };
    const secrets = this.encryptSecrets(id, input);
    const domains = input.domains ?? [];
    assertValid([
      ...issuerErrors(type, issuer, this.policy),
      ...providerErrors({ ...withSecrets(provider, secrets), domains }),
    ]);
    return this.transactions.run(async (tx) => {
      const project = await this.lockProject(tx, reach, projectId);
      const { total } = await this.providers.count(tx, projectId);
      if (total >= MAX_IDENTITY_PROVIDERS)
        throw new GatehouseError('conflict', {
          detail: `The project has ${total} identity providers, which is the maximum. Delete one first.`,
        });
      if (provider.enabled) await this.apis.assertNoneIsOlder(tx);
      const wasInserted = await this.providers.insert(tx, {
        ...provider,
        ...secrets,
        issuer: provider.issuer!,
      });
      if (!wasInserted) throw new GatehouseError('slug_taken');
      await this.domains.applyChange(tx, null, provider, domains);
      this.record(tx, 'identity_provider.created', project, id, { type });
      return this.load(project, id, tx);
    });
  }

  /**
   * Merges a patch. A patch without changes does not change `updatedAt`; each secret is a change.
   * @throws GatehouseError `validation_failed`, `not_found`, `project_archived`, `precondition_failed`, `conflict` if it
   *   turns off the last method of signing in, or turns on the provider while an api of an older version is running
   */
  update(
    { reach }: ManagementCaller,
    projectId: string,
    id: string,
    patch: UpdateIdentityProviderRequest,
    precondition: Precondition,
  ): Promise<IdentityProviderResponse> {
    const secrets = this.encryptSecrets(id, patch);
    return this.transactions.run(async (tx) => {
      const project = await this.lockProject(tx, reach, projectId);
      const before = await this.providers.lock(tx, projectId, id);
      const oldDomains = await this.domains.list(projectId, [before], tx);
      const current = this.toResponse(before, oldDomains, project.settings);
      precondition.assert(current);
      const settings = applyProviderPatch(before.type, before, patch);
      const oldNames = oldDomains.map(({ domain }) => domain);
      const domains = patch.domains === undefined ? oldNames : (patch.domains ?? []);
      assertValid(providerErrors({ ...withSecrets({ ...before, ...settings }, secrets), domains }));
      if (settings.enabled && !before.enabled) await this.apis.assertNoneIsOlder(tx);
      if (!settings.enabled) await this.assertNotLastMethod(tx, project, before);
      const names = Object.keys(settings) as (keyof typeof settings)[];
      const changed = [
        ...names.filter((name) => !isDeepStrictEqual(settings[name], before[name])),
        ...Object.keys(secrets),
        ...(isSameSet(domains, oldNames) ? [] : ['domains']),
      ];
      if (changed.length === 0) return current;
      await this.providers.update(tx, projectId, id, { ...settings, ...secrets });
      await this.domains.applyChange(tx, before, { ...before, ...settings }, domains);
      const fields = Object.fromEntries(names.map((name) => [name, before[name]]));
      const changes = auditChanges(
        { ...fields, domains: oldNames.toSorted() },
        { ...settings, domains: domains.toSorted() },
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
  async delete({ reach }: ManagementCaller, projectId: string, id: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const project = await this.lockProject(tx, reach, projectId);
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
  private async lockProject(tx: Tx, reach: ManagementCaller['reach'], id: string): Promise<Project> {
    const project = await this.projects.lock(tx, reach, id);
    if (project.archivedAt) throw new GatehouseError('project_archived');
    return project;
  }

  /** Checks that customers can sign in without a provider. @throws GatehouseError `conflict` */
  private async assertNotLastMethod(tx: Tx, project: Project, { enabled }: ManagedProvider): Promise<void> {
    const { password, emailCode } = project.settings.signIn;
    if (!enabled || password || emailCode) return;
    if ((await this.providers.count(tx, project.id)).enabled > 1) return;
    throw new GatehouseError('conflict', {
      detail:
        'Customers could no longer sign in. Turn on signIn.password, signIn.emailCode or another provider first.',
    });
  }

  /** @throws GatehouseError `validation_failed` for a key that is not of the curve P-256 */
  private encryptSecrets(id: string, { clientSecret, privateKey }: SecretFields): ProviderSecrets {
    const encrypt = (text: string) => this.keyring.encrypt('identity-provider-secret', id, text);
    const pem = privateKey === undefined ? undefined : readSigningKey(privateKey);
    if (pem === null)
      throw invalidField(
        'privateKey',
        'invalid',
        'privateKey must be the content of a .p8 file: a private key of the curve P-256 in PEM (PKCS #8)',
      );
    return {
      ...(clientSecret === undefined ? {} : { clientSecret: clientSecret && encrypt(clientSecret) }),
      ...(pem === undefined ? {} : { privateKey: encrypt(pem) }),
    } as ProviderSecrets;
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
    provider: ManagedProvider,
    domains: ProviderDomain[],
    settings: ProjectSettings,
  ): IdentityProviderResponse {
    return IdentityProviderResponse.from(provider, domains, settings, this.project.callbackUrl(provider.id));
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

/** Returns a provider with the secrets that it has after a change. */
const withSecrets = <Provider extends Partial<Omit<ManagedProvider, 'issuer'>>>(
  provider: Provider,
  { clientSecret, privateKey }: ProviderSecrets,
) => ({
  ...provider,
  hasClientSecret: clientSecret === undefined ? (provider.hasClientSecret ?? false) : clientSecret !== null,
  hasPrivateKey: privateKey === undefined ? (provider.hasPrivateKey ?? false) : privateKey !== null,
});

/** @throws GatehouseError `validation_failed` if there are errors */
function assertValid(errors: ReturnType<typeof providerErrors>): void {
  if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
}

/** Returns whether two lists without duplicates contain the same texts. */
const isSameSet = (one: string[], other: string[]): boolean =>
  one.length === other.length && one.every((text) => other.includes(text));
