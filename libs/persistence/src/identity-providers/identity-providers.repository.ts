// Raw SQL: aggregates of verified domains, joins with the project, and conditional updates that return rows.
import {
  MAX_IDENTITY_PROVIDERS,
  notFound,
  type IdentityProvider,
  type ProjectContext,
} from '@gatehouse/domain';
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { projectColumns, projectRow, toProjectContext } from '../projects/projects.repository.js';
import { selectedRow, selectList } from '../sql/entity-columns.js';
import { arrayOf, bytea, integer, nullable, statement, text, uuid, type RowOf } from '../sql/statements.js';
import { IdentityProviderEntity } from './identity-provider.entity.js';

/** The `IdentityProvider` fields. */
const providerFields = [
  ...(['id', 'projectId', 'slug', 'type', 'name', 'issuer', 'enabled', 'allowSignUp', 'trustEmail'] as const),
  ...(['required', 'sendsAuthTime', 'createdAt', 'updatedAt'] as const),
] as const satisfies (keyof IdentityProvider)[];

const providerColumns = selectList(IdentityProviderEntity, 'i', providerFields);
const providerRow = selectedRow(IdentityProviderEntity, providerFields);

/** The settings that earlier API versions read and write (ADR 0110). */
const clientFields = [
  ...(['clientId', 'clientIds', 'clientSecret', 'tenants', 'scopes', 'teamId', 'keyId'] as const),
  ...(['privateKey', 'requireNonce'] as const),
] as const satisfies (keyof IdentityProviderEntity)[];

/** A provider's settings in the columns that earlier versions use. The secrets are encrypted. */
export type ClientColumns = Pick<IdentityProviderEntity, (typeof clientFields)[number]>;

const settingsColumns = `${providerColumns}, ${selectList(IdentityProviderEntity, 'i', clientFields)},
  CASE WHEN i.settings_updated_at = i.updated_at THEN i.settings END AS settings`;
const settingsRow = {
  ...providerRow,
  ...selectedRow(IdentityProviderEntity, clientFields),
  settings: nullable(bytea),
};

const storedColumns = `${settingsColumns},
  ARRAY(SELECT d.domain FROM identity_provider_domains d
    WHERE d.provider_id = i.id AND d.verified_at IS NOT NULL ORDER BY d.domain) AS "verifiedDomains"`;
const storedRow = { ...settingsRow, verifiedDomains: arrayOf(text) };

/** Protocol settings, as stored. */
export interface StoredSettings {
  /** The encrypted document. Null if it is missing, or older than the columns. */
  settings: Buffer | null;
  columns: ClientColumns;
}

/** A provider with its protocol settings. */
export interface StoredProvider extends IdentityProvider, StoredSettings {
  verifiedDomains: string[];
}

export type NewIdentityProvider = Omit<IdentityProvider, 'sendsAuthTime' | 'createdAt' | 'updatedAt'> &
  StoredSettings;

const listProviders = statement(
  storedRow,
  `SELECT ${storedColumns} FROM identity_providers i
   WHERE i.project_id = $1 ORDER BY i.id DESC LIMIT ${MAX_IDENTITY_PROVIDERS}`,
);

const selectProvider = `SELECT ${storedColumns} FROM identity_providers i WHERE i.project_id = $1 AND i.id = $2`;
const findProvider = statement(storedRow, selectProvider);
const lockProvider = statement(storedRow, `${selectProvider} FOR NO KEY UPDATE`);
/** Also waits for transactions that insert an identity of the provider. */
const lockProviderToDelete = statement(storedRow, `${selectProvider} FOR UPDATE`);

const findEnabled = statement(
  storedRow,
  `SELECT ${storedColumns} FROM identity_providers i WHERE i.project_id = $1 AND i.slug = $2 AND i.enabled`,
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
     key_id, enabled, allow_sign_up, trust_email, require_nonce, required, client_secret, private_key, settings,
     settings_updated_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, now()
   ON CONFLICT (project_id, slug) DO NOTHING RETURNING id`,
);

const setSendsAuthTime = statement(
  {},
  'UPDATE identity_providers SET states_auth_time = $2 WHERE id = $1 AND states_auth_time IS NOT TRUE',
);

const listWithoutSettings = statement(
  settingsRow,
  `SELECT ${settingsColumns} FROM identity_providers i
   WHERE (i.settings_updated_at IS DISTINCT FROM i.updated_at OR encode(substr(i.settings, 1, 4), 'hex') <> ALL ($1))
     AND i.id > $2 ORDER BY i.id LIMIT $3`,
);

/** Has no effect if the provider has changed since it was read. */
const setSettings = statement(
  {},
  `UPDATE identity_providers SET settings = $3, settings_updated_at = updated_at WHERE id = $1 AND updated_at = $2`,
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

/** Stores project identity providers. */
export class IdentityProvidersRepository {
  constructor(private readonly database: Database) {}

  /** Returns all of the project's providers, newest first. A project has at most `MAX_IDENTITY_PROVIDERS`. */
  async list(projectId: string): Promise<StoredProvider[]> {
    return (await this.database.execute(listProviders, [projectId])).map(toStored);
  }

  /** Returns the project's enabled providers, oldest first. */
  listEnabled(projectId: string): Promise<IdentityProvider[]> {
    return this.database.execute(listEnabled, [projectId]);
  }

  /** Returns a provider, enabled or disabled. @throws GatehouseError `not_found` */
  async get(projectId: string, id: string, sql: Sql = this.database): Promise<StoredProvider> {
    const [row] = await sql.execute(findProvider, [projectId, id]);
    if (!row) throw notFound();
    return toStored(row);
  }

  /** Returns a provider and locks it against changes. @throws GatehouseError `not_found` */
  async lock(tx: Tx, projectId: string, id: string): Promise<StoredProvider> {
    const [row] = await tx.execute(lockProvider, [projectId, id]);
    if (!row) throw notFound();
    return toStored(row);
  }

  /** Returns a provider and locks it against changes and new identities. @throws GatehouseError `not_found` */
  async lockToDelete(tx: Tx, projectId: string, id: string): Promise<StoredProvider> {
    const [row] = await tx.execute(lockProviderToDelete, [projectId, id]);
    if (!row) throw notFound();
    return toStored(row);
  }

  /** Returns the enabled provider with a slug, or null. */
  async findEnabled(projectId: string, slug: string): Promise<StoredProvider | null> {
    const [row] = await this.database.execute(findEnabled, [projectId, slug]);
    return row ? toStored(row) : null;
  }

  /**
   * Returns the slugs in the list that belong to the project's providers, and locks these providers against deletion.
   */
  async lockSlugs(tx: Tx, projectId: string, slugs: string[]): Promise<Set<string>> {
    const rows = await tx.execute(lockSlugs, [projectId, slugs]);
    return new Set(rows.map(({ slug }) => slug));
  }

  /** Returns a provider's project. Null if the provider does not exist or its project is archived. */
  async findProject(id: string): Promise<ProjectContext | null> {
    const [row] = await this.database.execute(findProject, [id]);
    return row ? toProjectContext(row) : null;
  }

  /** Inserts a provider. Returns false if another provider in the project already has the slug. */
  async insert(tx: Tx, { columns, ...provider }: NewIdentityProvider): Promise<boolean> {
    const rows = await tx.execute(insertProvider, [
      provider.id,
      provider.projectId,
      provider.slug,
      provider.type,
      provider.name,
      columns.clientId,
      columns.clientIds,
      provider.issuer,
      columns.tenants,
      columns.scopes,
      columns.teamId,
      columns.keyId,
      provider.enabled,
      provider.allowSignUp,
      provider.trustEmail,
      columns.requireNonce,
      provider.required,
      columns.clientSecret,
      columns.privateKey,
      provider.settings,
    ]);
    return rows.length > 0;
  }

  /**
   * Changes a provider that the transaction has locked. Always changes `updated_at`, from which the entity tag is
   * derived: a response does not contain the secrets, so it cannot reveal that they have changed. Resets
   * `sendsAuthTime`.
   */
  async update(
    tx: Tx,
    projectId: string,
    id: string,
    { columns, ...changes }: Omit<NewIdentityProvider, 'id' | 'projectId' | 'slug' | 'type' | 'issuer'>,
  ): Promise<void> {
    const updatedAt = () => `greatest(now(), updated_at + interval '1 ms')`;
    // Without a document, the columns are used.
    const settingsUpdatedAt = changes.settings === null ? null : updatedAt;
    await tx.manager.update(
      IdentityProviderEntity,
      { projectId, id },
      { ...changes, ...columns, sendsAuthTime: null, updatedAt, settingsUpdatedAt },
    );
  }

  /**
   * Returns providers from all projects whose document is missing, outdated or not readable, sorted by id.
   * @param kids ids of the entries in GATEHOUSE_SECRET
   * @param after the previous batch's last id
   */
  async listWithoutSettings(
    kids: string[],
    after: string,
    limit: number,
  ): Promise<(IdentityProvider & StoredSettings)[]> {
    return (await this.database.execute(listWithoutSettings, [kids, after, limit])).map(toStored);
  }

  /** Stores the settings for a provider that has not changed since it was read. Does not change its entity tag. */
  async setSettings({ id, updatedAt }: IdentityProvider, settings: Buffer): Promise<void> {
    await this.database.execute(setSettings, [id, updatedAt, settings]);
  }

  /**
   * Records whether a provider's id tokens contain `auth_time`. Has no effect after a token has contained it. Does
   * not change the provider's entity tag.
   */
  async setSendsAuthTime(id: string, sendsAuthTime: boolean): Promise<void> {
    await this.database.execute(setSendsAuthTime, [id, sendsAuthTime]);
  }

  /** Deletes a provider without identities. */
  async delete(tx: Tx, projectId: string, id: string): Promise<void> {
    await tx.manager.delete(IdentityProviderEntity, { projectId, id });
  }

  async count(tx: Tx, projectId: string): Promise<{ total: number; enabled: number }> {
    const [row] = await tx.execute(countProviders, [projectId]);
    return row!;
  }

  async countIdentities(tx: Tx, id: string): Promise<number> {
    const [row] = await tx.execute(countIdentities, [id]);
    return row!.count;
  }
}

function toStored<Row extends RowOf<typeof settingsRow>>(
  row: Row,
): Omit<Row, keyof ClientColumns> & StoredSettings {
  const { clientId, clientIds, clientSecret, tenants, scopes, teamId, keyId, privateKey, ...rest } = row;
  const { requireNonce, ...provider } = rest;
  const secrets = { clientSecret, privateKey };
  const columns = { clientId, clientIds, tenants, scopes, teamId, keyId, requireNonce, ...secrets };
  return { ...provider, columns } as Omit<Row, keyof ClientColumns> & StoredSettings;
}
