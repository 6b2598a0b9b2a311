/** Every scope that a secret key can carry (contract, section 3). Publishable keys carry none. */
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
  'session:read',
  'session:revoke',
  'billing:write',
  'webhook:read',
  'webhook:write',
  'webhook:redeliver',
  'event:read',
  'audit:read',
] as const;

export type Scope = (typeof scopes)[number];

/** How far a key reaches: its own project, or every project of its organization and of those it created. */
export type Access = 'project' | 'organization';

/**
 * Whose objects a caller may see. With `projectId` null: all projects of the organization and of the
 * organizations it created (one level); with `organizationId` null as well: the whole house.
 */
export interface Reach {
  organizationId: string | null;
  projectId: string | null;
}
