// This file contains SQL: the verified domains of a provider, joins with the project, and conditional changes that
// return rows.
import {
  MAX_IDENTITY_PROVIDERS,
  notFound,
  type IdentityProvider,
  type ProjectContext,
} from '@gatehouse/domain';
import type { Database, Sql } from '../database.js';
import { selectedRow, selectList } from '../entity-columns.js';
import { projectColumns, projectRow, toProjectContext } from '../projects/projects.repository.js';
import { arrayOf, boolean, bytea, integer, nullable, statement, text, uuid } from '../statements.js';
import type { Tx } from '../transactions.js';
import { IdentityProviderEntity } from './identity-provider.entity.js';

/** The fields of `IdentityProvider`. */
const providerFields = [
  ...(['id', 'projectId', 'slug', 'type', 'name', 'clientId', 'clientIds', 'issuer', 'tenants'] as const),
  ...(['scopes', 'teamId', 'keyId', 'enabled', 'allowSignUp', 'trustEmail', 'requireNonce'] as const),
  ...(['required', 'statesAuthTime', 'createdAt', 'updatedAt'] as const),
] as const satisfies (keyof IdentityProvider)[];

const providerColumns = selectList(IdentityProviderEntity, 'i', providerFields);
const providerRow = selectedRow(IdentityProviderEntity, providerFields);

/** The additional columns for its management. */
const managedColumns = `${providerColumns}, i.client_secret IS NOT NULL AS "hasClientSecret",
  i.private_key IS NOT NULL AS "hasPrivateKey"`;
const managedRow = { ...providerRow, hasClientSecret: boolean, hasPrivateKey: boolean };

/** A provider, and which secrets it has. */
export interface ManagedProvider extends IdentityProvider {
  hasClientSecret: boolean;
  hasPrivateKey: boolean;
}

/** The additional columns for the flows of a provider. */
const connectionColumns = `${providerColumns}, i.client_secret AS "clientSecret", i.private_key AS "privateKey",
  ARRAY(SELECT d.domain FROM identity_provider_domains d
    WHERE d.provider_id = i.id AND d.verified_at IS NOT NULL ORDER BY d.domain) AS domains`;
const connectionRow = {
  ...providerRow,
  clientSecret: nullable(bytea),
  privateKey: nullable(bytea),
  domains: arrayOf(text),
};

/** A provider with its encrypted secrets and its verified domains. */
export interface ConnectedProvider extends IdentityProvider {
  clientSecret: Buffer | null;
  privateKey: Buffer | null;
  domains: string[];
}

/** The encrypted secrets of a provider. An undefined one stays as it is. */
export interface ProviderSecrets {
  clientSecret?: Buffer | null;
  privateKey?: Buffer | null;
}

export type NewIdentityProvider = Omit<IdentityProvider, 'statesAuthTime' | 'createdAt' | 'updatedAt'> &
  ProviderSecrets;

const listProviders = statement(
  managedRow,
  `SELECT ${managedColumns} FROM identity_providers i
   WHERE i.project_id = $1 ORDER BY i.id DESC LIMIT ${MAX_IDENTITY_PROVIDERS}`,
);

const selectProvider = `SELECT ${managedColumns} FROM identity_providers i WHERE i.project_id = $1 AND i.id = $2`;
const findProvider = statement(managedRow, selectProvider);
const lockProvider = statement(managedRow, `${selectProvider} FOR NO KEY UPDATE`);
/** Also waits for transactions that insert an identity of the provider. */
const lockProviderToDelete = statement(managedRow, `${selectProvider} FOR UPDATE`);

const findConnected = statement(
  connectionRow,
  `SELECT ${connectionColumns} FROM identity_providers i WHERE i.project_id = $1 AND i.id = $2`,
);

const findEnabled = statement(
  connectionRow,
  `SELECT ${connectionColumns} FROM identity_providers i WHERE i.project_id = $1 AND i.slug = $2 AND i.enabled`,
);

const listEnabled = statement(
  providerRow,
  `SELECT ${providerColumns} FROM identity_providers i
   WHERE i.project_id = $1 AND i.enabled ORDER BY i.id LIMIT ${MAX_IDENTITY_PROVIDERS}`,
);

const lockSlugs = statement(
  { slug: text },
  'SELECT slug FROM identity_providers WHERE project_id = $1 AND slug = ANY ($2) ORDER BY id FOR KEY SHARE',
);

const findProject = statement(
  projectRow,
  `SELECT ${projectColumns} FROM identity_providers i JOIN projects p ON p.id = i.project_id
     JOIN organizations o ON o.id = p.organization_id
   WHERE i.id = $1 AND p.archived_at IS NULL`,
);

const insertProvider = statement(
  { id: uuid },
  `INSERT INTO identity_providers (id, project_id, slug, type, name, client_id, client_ids, issuer, tenants, scopes, team_id,
     key_id, enabled, allow_sign_up, trust_email, require_nonce, required, client_secret, private_key)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19
   ON CONFLICT (project_id, slug) DO NOTHING RETURNING id`,
);

const setStatesAuthTime = statement(
  {},
  'UPDATE identity_providers SET states_auth_time = $2 WHERE id = $1 AND states_auth_time IS NOT TRUE',
);

const countProviders = statement(
  { total: integer, enabled: integer },
  `SELECT count(*)::int AS total, count(*) FILTER (WHERE enabled)::int AS enabled
   FROM identity_providers WHERE project_id = $1`,
);

const countIdentities = statement(
  { count: integer },
  'SELECT count(*)::int AS count FROM identities WHERE provider_id = $1',
);

/** The identity providers of projects. */
export class IdentityProvidersRepository {
  constructor(private readonly database: Database) {}

  /** Returns all providers of a project, newest first. Their number is limited. */
  list(projectId: string): Promise<ManagedProvider[]> {
    return this.database.execute(listProviders, [projectId]);
  }

  /** Returns the enabled providers of a project, in the order in which they were added. */
  listEnabled(projectId: string): Promise<IdentityProvider[]> {
    return this.database.execute(listEnabled, [projectId]);
  }

  /** @throws GatehouseError `not_found` */
  async get(projectId: string, id: string, sql: Sql = this.database): Promise<ManagedProvider> {
    const [row] = await sql.execute(findProvider, [projectId, id]);
    if (!row) throw notFound();
    return row;
  }

  /** Returns a provider and locks it against changes. @throws GatehouseError `not_found` */
  async lock(tx: Tx, projectId: string, id: string): Promise<ManagedProvider> {
    const [row] = await tx.execute(lockProvider, [projectId, id]);
    if (!row) throw notFound();
    return row;
  }

  /** Returns a provider and locks it, also against new identities. @throws GatehouseError `not_found` */
  async lockToDelete(tx: Tx, projectId: string, id: string): Promise<ManagedProvider> {
    const [row] = await tx.execute(lockProviderToDelete, [projectId, id]);
    if (!row) throw notFound();
    return row;
  }

  /** Returns a provider with its secrets, whether or not it is enabled. @throws GatehouseError `not_found` */
  async getConnected(projectId: string, id: string, sql: Sql = this.database): Promise<ConnectedProvider> {
    const [row] = await sql.execute(findConnected, [projectId, id]);
    if (!row) throw notFound();
    return row;
  }

  /** Returns the enabled provider with a slug, with its secrets, or null. */
  async findEnabled(projectId: string, slug: string): Promise<ConnectedProvider | null> {
    const [row] = await this.database.execute(findEnabled, [projectId, slug]);
    return row ?? null;
  }

  /** Returns those of the slugs that providers of the project have, and locks the providers against deletion. */
  async lockSlugs(tx: Tx, projectId: string, slugs: string[]): Promise<Set<string>> {
    const rows = await tx.execute(lockSlugs, [projectId, slugs]);
    return new Set(rows.map(({ slug }) => slug));
  }

  /** Returns the active project of a provider that a browser names, or null. */
  async findProject(id: string): Promise<ProjectContext | null> {
    const [row] = await this.database.execute(findProject, [id]);
    return row ? toProjectContext(row) : null;
  }

  /** Inserts a provider. Returns false if another one of the project has the slug. */
  async insert(tx: Tx, provider: NewIdentityProvider): Promise<boolean> {
    const rows = await tx.execute(insertProvider, [
      provider.id,
      provider.projectId,
      provider.slug,
      provider.type,
      provider.name,
      provider.clientId,
      provider.clientIds,
      provider.issuer,
      provider.tenants,
      provider.scopes,
      provider.teamId,
      provider.keyId,
      provider.enabled,
      provider.allowSignUp,
      provider.trustEmail,
      provider.requireNonce,
      provider.required,
      provider.clientSecret ?? null,
      provider.privateKey ?? null,
    ]);
    return rows.length > 0;
  }

  /**
   * Changes a provider that the transaction has locked. Always changes `updated_at`, from which the entity tag is derived:
   * the secrets are never returned. What its id tokens contain is unknown again.
   */
  async update(
    tx: Tx,
    projectId: string,
    id: string,
    changes: Partial<Omit<NewIdentityProvider, 'id' | 'projectId'>>,
  ): Promise<void> {
    await tx.manager.update(
      IdentityProviderEntity,
      { projectId, id },
      { ...changes, statesAuthTime: null, updatedAt: () => `greatest(now(), updated_at + interval '1 ms')` },
    );
  }

  /** Sets whether id tokens of a provider contain `auth_time`, unless one has. Does not change its entity tag. */
  async setStatesAuthTime(id: string, statesAuthTime: boolean): Promise<void> {
    await this.database.execute(setStatesAuthTime, [id, statesAuthTime]);
  }

  /** Deletes a provider without identities. */
  async delete(tx: Tx, projectId: string, id: string): Promise<void> {
    await tx.manager.delete(IdentityProviderEntity, { projectId, id });
  }

  /** Counts the providers of a project. */
  async count(tx: Tx, projectId: string): Promise<{ total: number; enabled: number }> {
    const [row] = await tx.execute(countProviders, [projectId]);
    return row!;
  }

  /** Counts the identities of a provider. */
  async countIdentities(tx: Tx, id: string): Promise<number> {
    const [row] = await tx.execute(countIdentities, [id]);
    return row!.count;
  }
}
