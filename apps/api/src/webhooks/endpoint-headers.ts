import {
  customHeaderErrors,
  GatehouseError,
  invalidField,
  MAX_CUSTOM_HEADERS,
  applyHeadersPatch,
  type CustomHeaders,
} from '@gatehouse/domain';
import type { WebhookEndpointChanges } from '@gatehouse/persistence';
import { UnreadableValueError, type Keyring } from '@gatehouse/platform';

type SealedHeaders = Required<Pick<WebhookEndpointChanges, 'headers' | 'headerNames'>>;

/**
 * Rejects invalid headers.
 * @throws GatehouseError `validation_failed`, with an error for each invalid header
 */
export function assertHeaders(headers: object | null | undefined, isPatch: boolean): void {
  const errors = customHeaderErrors({ ...headers }, isPatch);
  if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
}

/**
 * Applies a patch to an endpoint's headers and encrypts the result. A null patch removes all headers.
 * @param sealed current encrypted headers
 * @throws GatehouseError `validation_failed` if there are too many headers, `conflict` if the current headers cannot be
 * decrypted
 */
export function patchHeaders(
  keyring: Keyring,
  endpointId: string,
  sealed: Buffer | null,
  patch: object | null,
): SealedHeaders {
  const current = sealed && patch ? readHeaders(keyring, endpointId, sealed) : {};
  const headers = applyHeadersPatch(current, { ...patch });
  const headerNames = Object.keys(headers);
  if (headerNames.length > MAX_CUSTOM_HEADERS) {
    throw invalidField('headers', 'too_long', `headers must contain at most ${MAX_CUSTOM_HEADERS} entries`);
  }
  if (headerNames.length === 0) return { headers: null, headerNames };
  return { headers: keyring.encrypt('webhook-headers', endpointId, JSON.stringify(headers)), headerNames };
}

function readHeaders(keyring: Keyring, endpointId: string, sealed: Buffer): CustomHeaders {
  try {
    return JSON.parse(keyring.decrypt('webhook-headers', endpointId, sealed)) as CustomHeaders;
  } catch (cause) {
    if (!(cause instanceof UnreadableValueError)) throw cause;
    throw new GatehouseError('conflict', {
      detail:
        'The current headers cannot be decrypted. Set headers to null first, then set all of them again.',
      cause,
    });
  }
}
