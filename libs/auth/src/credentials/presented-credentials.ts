import type { IncomingMessage } from 'node:http';
import { GatehouseError } from '@gatehouse/domain';

/** A credential from a request header, before it is authenticated. */
export interface PresentedCredential {
  header: 'authorization' | 'x-api-key' | 'x-publishable-key';
  value: string;
}

const headers = ['authorization', 'x-api-key', 'x-publishable-key'] as const;

/**
 * Returns the credentials in a request's headers. Bearer tokens are returned without their scheme. An Authorization
 * header with another scheme, or with none, yields the empty string, which no route accepts.
 * @throws GatehouseError `multiple_credentials` for a header with different values, two different secret keys, or two
 *   different publishable keys
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

/** Parses a bearer token. Scheme names are case-insensitive (RFC 9110, section 11.1). */
const parseBearer = (value: string): string => /^bearer +(.*)$/i.exec(value)?.[1] ?? '';
