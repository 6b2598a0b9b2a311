/** All scopes that a secret key can have (contract, section 3). Publishable keys have none. */
export const scopes = [
  'organization:read',
  'organization:write',
  'project:read',
  'project:write',
  'api_key:read',
  'api_key:write',
  'customer:read',
  'customer:write',
  'customer:delete',
  'customer:export_hashes',
  'customer:impersonate',
  'session:read',
  'session:revoke',
  'session:migrate',
  'mailbox:read',
  'billing:write',
  'webhook:read',
  'webhook:write',
  'webhook:redeliver',
  'event:read',
  'event:write',
  'audit:read',
] as const;

export type Scope = (typeof scopes)[number];

/**
 * The scopes of the key that Gatehouse creates on the first start: all except those that must be requested explicitly.
 */
export const firstKeyScopes = scopes.filter(
  (scope) => scope !== 'customer:impersonate' && scope !== 'session:migrate',
);

/**
 * The projects that a key can access: its own project, or all projects in its organization and in the organizations
 * that it created.
 */
export type Access = 'project' | 'organization';

/**
 * The tenants whose objects a caller can access. If `projectId` is null, these are all projects in the listed
 * organizations, and in organizations that a listed one has created (one level). If `organizationIds` is null as well,
 * the scope is installation-wide.
 */
export interface AccessScope {
  /** Never empty. */
  organizationIds: readonly string[] | null;
  projectId: string | null;
}

/** The access scope for the server itself and for operators who are not limited to organizations. */
export const entireInstallation: AccessScope = { organizationIds: null, projectId: null };
