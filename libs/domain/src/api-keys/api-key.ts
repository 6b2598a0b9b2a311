import type { ApiKeyType } from './key-format.js';
import type { Access, Scope } from './scopes.js';

/** An API key without its value, which is shown once and stored only as a hash. */
export interface ApiKey {
  id: string;
  organizationId: string;
  projectId: string;
  name: string;
  type: ApiKeyType;
  access: Access;
  scopes: Scope[];
  /** Maximum requests per second; null for the default. Always null for a publishable key. */
  rateLimit: number | null;
  /** The value's first eight characters. */
  prefix: string;
  last4: string;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  /** The id of the key that was rotated to create this one. */
  rotatedFrom: string | null;
  createdAt: Date;
}

/** Returns a key as it appears in events and in responses to requests with a secret key. */
export const apiKeyResource = (key: ApiKey) => ({
  id: key.id,
  projectId: key.projectId,
  name: key.name,
  type: key.type,
  access: key.access,
  scopes: key.scopes,
  rateLimit: key.rateLimit,
  prefix: key.prefix,
  last4: key.last4,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
  rotatedFrom: key.rotatedFrom,
  createdAt: key.createdAt.toISOString(),
});
