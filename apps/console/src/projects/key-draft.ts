import type { Schemas } from '../http/client';
import type { Scope } from './api-key';

type Body = Schemas['CreateApiKeyRequest'];

/** The form state for a key that is not created yet. */
export interface KeyDraft {
  /** Identifies the draft in the form. */
  id: number;
  name: string;
  type: Body['type'];
  access: NonNullable<Body['access']>;
  scopes: Scope[];
  /** null for the default. */
  rateLimit: number | null;
  /** Days until the key expires; "" for never, "on" for a date. */
  expiry: string;
  expiryDay: string;
}

const DAY_MS = 86_400_000;

export const newDraft = (id: number, changes: Partial<KeyDraft> = {}): KeyDraft => ({
  id,
  name: '',
  type: 'secret',
  access: 'project',
  scopes: ['customer:read', 'customer:write'],
  rateLimit: null,
  expiry: '',
  expiryDay: '',
  ...changes,
});

export const isComplete = ({ name, expiry, expiryDay }: KeyDraft): boolean =>
  name.trim() !== '' && (expiry !== 'on' || expiryDay !== '');

/** Returns the body for the request that creates the key. */
export const toBody = ({ name, type, access, scopes, rateLimit, expiry, expiryDay }: KeyDraft): Body => ({
  name: name.trim(),
  type,
  ...(type === 'secret' ? { access, scopes, rateLimit } : { access: 'project' }),
  expiresAt: toExpiresAt(expiry, expiryDay),
});

function toExpiresAt(expiry: string, expiryDay: string): string | null {
  if (expiry === '') return null;
  if (expiry === 'on') return new Date(`${expiryDay}T00:00:00.000Z`).toISOString();
  return new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
}
