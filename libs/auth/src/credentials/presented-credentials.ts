import type { IncomingMessage } from 'node:http';
import { GatehouseError } from '@gatehouse/domain';

/** One credential as it came in. */
export interface PresentedCredential {
  header: 'authorization' | 'x-api-key' | 'x-publishable-key';
  value: string;
}

const headers = ['authorization', 'x-api-key', 'x-publishable-key'] as const;

/**
 * The credentials in a request's headers. A bearer token stands there without its scheme; what comes in another
 * scheme, or in none, is the empty text, which opens nothing.
 * @throws GatehouseError `multiple_credentials` for a repeated header, or two different secret keys
 */
export function presentedCredentials(request: IncomingMessage): PresentedCredential[] {
  const presented = headers.flatMap((header) => {
    const values = request.headersDistinct[header] ?? [];
    if (new Set(values).size > 1) throw new GatehouseError('multiple_credentials');
    return values
      .slice(0, 1)
      .map((value) => ({ header, value: header === 'authorization' ? parseBearer(value) : value }));
  });
  const secrets = new Set(presented.map(({ value }) => value).filter((value) => value.startsWith('sk_')));
  const publishable = new Set(presented.map(({ value }) => value).filter((value) => value.startsWith('pk_')));
  if (secrets.size > 1 || publishable.size > 1) throw new GatehouseError('multiple_credentials');
  return presented;
}

/** Scheme names are case-insensitive (RFC 9110, section 11.1). */
const parseBearer = (value: string): string => /^bearer +(.*)$/i.exec(value)?.[1] ?? '';
