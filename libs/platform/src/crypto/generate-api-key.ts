import { formatApiKey, type ApiKeyType } from '@gatehouse/domain';
import { sha256 } from './hashes.js';
import { secureBytes } from './random.js';

/** A new API key: its value, which is returned only once, and the parts that are stored. */
export interface GeneratedApiKey {
  value: string;
  stored: { keyHash: Buffer; prefix: string; last4: string };
}

/** Creates an API key from 256 random bits. */
export function generateApiKey(type: ApiKeyType): GeneratedApiKey {
  const value = formatApiKey(type, secureBytes(32));
  return { value, stored: { keyHash: sha256(value), prefix: value.slice(0, 8), last4: value.slice(-4) } };
}
