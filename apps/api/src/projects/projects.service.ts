import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  auditChanges,
  changedFields,
  defaultSettings,
  fieldPaths,
  GatehouseError,
  invalidField,
  applySettingsPatch,
  settingsErrors,
  slugify,
  withoutUrlPath,
  type Environment,
  type AuditChanges,
  type Project,
  type ProjectSettings,
  type SettingsPatch,
} from '@gatehouse/domain';
import {
  ApiKeysRepository,
  EventsRepository,
  IdentityProvidersRepository,
  LegacySignInRepository,
  OrganizationsRepository,
  ProjectsRepository,
  Transactions,
  type CappedCount,
  type NewProject,
  type ProjectFilter,
  type Tx,
} from '@gatehouse/persistence';
import { Config, CursorCodec, Keyring, newId, secureBytes } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { readPage, type Page } from '../http/lists/paging.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import type {
  CountProjectsQuery,
  CreateProjectRequest,
  SearchProjectsQuery,
  UpdateProjectRequest,
} from './dto/project.request.js';
import { ProjectResponse } from './dto/project.response.js';
import { SettingsChecksService } from './settings-checks.service.js';

/** Manages projects and their settings. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly checks: SettingsChecksService,
    private readonly legacySignIn: LegacySignInRepository,
    private readonly providers: IdentityProvidersRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly cursors: CursorCodec,
    private readonly config: Config,
  ) {}

  /**
   * Returns the projects in the caller's organization and in the organizations that it created, newest first. A project
   * key receives the same list (contract, section 3).
   * @throws GatehouseError `invalid_cursor`
   */
  list(caller: ManagementCaller, query: SearchProjectsQuery): Promise<Page<Project>> {
    const accessScope = { ...caller.accessScope, projectId: null };
    const filter = projectFilter(query);
    return readPage(this.cursors, ['projects', accessScope, filter], query, (before, limit) =>
      this.projects.list(accessScope, filter, before, limit),
    );
  }

  count({ accessScope }: ManagementCaller, query: CountProjectsQuery): Promise<CappedCount> {
    return this.projects.count(accessScope, projectFilter(query));
  }

  /** @throws GatehouseError `not_found` */
  get({ accessScope }: ManagementCaller, id: string): Promise<Project> {
    return this.projects.get(accessScope, id);
  }

  /**
   * @throws GatehouseError `validation_failed`, `not_found` if the caller cannot access the organization, `slug_taken`,
   * `conflict`
   */
  async create(
    { accessScope, project: own }: ManagementCaller,
    input: CreateProjectRequest,
  ): Promise<Project> {
    const { name, environment = 'development' } = input;
    const settings = this.mergeSettings(defaultSettings, input.settings ?? {}, environment);
    const organizationId = input.organizationId ?? own?.organizationId;
    if (!organizationId) throw invalidField('organizationId', 'required', 'organizationId is required');
    await this.organizations.get(accessScope, organizationId);
    const slugs = input.slug ? [input.slug] : slugCandidates(name);
    return this.transactions.join(async (tx) => {
      await this.checks.assertMayCreate(tx, settings);
      const project = await this.insert(
        tx,
        { id: newId(), organizationId, name, environment, settings },
        slugs,
      );
      await this.setSecret(tx, project.id, input.settings?.legacySignIn);
      this.record(tx, 'project.created', project);
      return project;
    });
  }

  /**
   * Applies a merge patch. A patch without changes creates no event and does not change `updatedAt`. Settings are read
   * with every request, so they take effect immediately.
   * @throws GatehouseError `not_found`, `project_archived`, `precondition_failed`, `validation_failed`, and the codes
   * from `SettingsChecksService`
   */
  update(
    { accessScope }: ManagementCaller,
    id: string,
    input: UpdateProjectRequest,
    precondition: Precondition,
  ): Promise<Project> {
    return this.transactions.join(async (tx) => {
      // The lock prevents concurrent patches from overwriting each other's changes.
      const before = await this.projects.lock(tx, accessScope, id);
      if (before.archivedAt) throw new GatehouseError('project_archived');
      precondition.assert(ProjectResponse.from(before));
      const { enabled: enabledProviders } = await this.providers.count(tx, id);
      const settings = this.mergeSettings(
        before.settings,
        input.settings ?? {},
        before.environment,
        enabledProviders > 0,
      );
      await this.checks.assertMayChange(tx, id, before.settings, settings);
      const after = { name: input.name ?? before.name, settings };
      const fields = { name: before.name, settings: before.settings };
      const previous = changedFields(fields, after);
      const hasNewSecret = input.settings?.legacySignIn?.secret !== undefined;
      if (Object.keys(previous).length === 0 && !hasNewSecret) return before;
      const project = await this.projects.update(tx, { id, ...after });
      const [claims, newClaims] = [before.settings.accessTokenClaims, settings.accessTokenClaims];
      await this.checks.warnAboutClaims(tx, id, claims, newClaims);
      await this.setSecret(tx, id, input.settings?.legacySignIn);
      const changed = [...fieldPaths(previous), ...(hasNewSecret ? ['settings.legacySignIn.secret'] : [])];
      this.record(
        tx,
        'project.updated',
        project,
        { previous },
        { changed, changes: auditChanges(auditedFields(fields), auditedFields(after)) },
      );
      return project;
    });
  }

  /**
   * Archives a project. Its keys and its customers' tokens stop working immediately; its data is retained. Does nothing
   * if the project is already archived.
   * @throws GatehouseError `not_found`, `own_project`, `last_organization_key`
   */
  archive(caller: ManagementCaller, id: string): Promise<Project> {
    return this.transactions.join(async (tx) => {
      const before = await this.projects.lock(tx, caller.accessScope, id);
      if (before.archivedAt) return before;
      if (id === caller.project?.id) throw new GatehouseError('own_project');
      const { organizationId } = before;
      await this.organizations.lock(tx, caller.accessScope, organizationId);
      const keys = await this.apiKeys.listOrganizationIssuerKeys(tx, organizationId);
      if (keys.length > 0 && keys.every(({ projectId }) => projectId === id)) {
        throw new GatehouseError('last_organization_key');
      }
      const project = await this.projects.archive(tx, id);
      this.record(tx, 'project.archived', project);
      return project;
    });
  }

  private mergeSettings(
    current: ProjectSettings,
    patch: SettingsPatch,
    environment: Environment,
    hasProvider = false,
  ): ProjectSettings {
    const settings = applySettingsPatch(current, patch);
    const errors = settingsErrors(patch, settings, {
      production: this.config.production,
      allowedCidrs: this.config.webhooks.allowedCidrs,
      environment,
      before: current,
      hasProvider,
    });
    if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
    return settings;
  }

  /** Stores the new secret in a patch, or deletes the secret together with the setting. */
  private async setSecret(tx: Tx, projectId: string, patch: SettingsPatch['legacySignIn']): Promise<void> {
    if (patch === null) await this.legacySignIn.setSecret(tx, projectId, null);
    if (patch?.secret === undefined) return;
    const sealed = this.keyring.encrypt('legacy-sign-in-secret', projectId, patch.secret);
    await this.legacySignIn.setSecret(tx, projectId, sealed);
  }

  /** Inserts the project with the first available slug. */
  private async insert(tx: Tx, project: Omit<NewProject, 'slug'>, slugs: string[]): Promise<Project> {
    for (const slug of slugs) {
      const inserted = await this.projects.insert(tx, { ...project, slug });
      if (inserted) return inserted;
    }
    throw new GatehouseError('slug_taken');
  }

  private record(
    tx: Tx,
    action: 'project.created' | 'project.updated' | 'project.archived',
    project: Project,
    data: { previous?: object } = {},
    details: { changed?: string[]; changes?: AuditChanges } = {},
  ): void {
    const { organizationId, id: projectId } = project;
    const resource = ProjectResponse.from(project);
    this.events.record(tx, [
      { type: action, organizationId, projectId, customerId: null, data: { project: resource, ...data } },
    ]);
    this.audit.record(tx, { action, organizationId, projectId, targetId: projectId, details });
  }
}

/** Returns the fields that the audit log may contain. The path of a legacy sign-in URL can contain a credential. */
const auditedFields = ({ name, settings }: Pick<Project, 'name' | 'settings'>) => ({
  name,
  settings: {
    ...settings,
    legacySignIn: settings.legacySignIn && { url: withoutUrlPath(settings.legacySignIn.url) },
  },
});

const projectFilter = ({ organizationId, environment, archived, q }: CountProjectsQuery): ProjectFilter => ({
  organizationId: organizationId ?? null,
  environment: environment ?? null,
  archived: archived === undefined ? null : archived === 'true',
  q: q ?? null,
});

/** Returns the slug for a name and three variants with random suffixes, which are very unlikely to be taken. */
const slugCandidates = (name: string): string[] => [
  slugify(name, 'project'),
  ...Array.from({ length: 3 }, () => slugify(name, 'project', secureBytes(4).toString('hex'))),
];
