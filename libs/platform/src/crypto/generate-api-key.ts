import { formatApiKey, type ApiKeyType } from '@gatehouse/domain';
import { sha256 } from './hashes.js';
import { secureBytes } from './random.js';

/** A new API key: its value, for the one answer that shows it, and what is kept of it. */
export interface GeneratedApiKey {
  value: string;
  stored: { keyHash: Buffer; prefix: string; last4: string };
}

/** Makes the value of an API key from 256 random bits. */
export function generateApiKey(type: ApiKeyType): GeneratedApiKey {
  const value = formatApiKey(type, secureBytes(32));
  return { value, stored: { keyHash: sha256(value), prefix: value.slice(0, 8), last4: value.slice(-4) } };
}
