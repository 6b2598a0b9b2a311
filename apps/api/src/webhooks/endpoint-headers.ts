import {
  customHeaderErrors,
  GatehouseError,
  invalidField,
  MAX_CUSTOM_HEADERS,
  applyHeadersPatch,
  type CustomHeaders,
} from '@gatehouse/domain';
import type { WebhookEndpointChanges } from '@gatehouse/persistence';
import type { Keyring } from '@gatehouse/platform';

type SealedHeaders = Required<Pick<WebhookEndpointChanges, 'headers' | 'headerNames'>>;

/** @throws GatehouseError `validation_failed`, which names every header at fault */
export function assertHeaders(headers: object | null | undefined, isPatch: boolean): void {
  const errors = customHeaderErrors({ ...headers }, isPatch);
  if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
}

/**
 * Headers with a patch merged into them, as they are kept; null removes all.
 * @param sealed as they were kept before
 * @throws GatehouseError `validation_failed` when there are too many
 */
export function patchHeaders(
  keyring: Keyring,
  endpointId: string,
  sealed: Buffer | null,
  patch: object | null,
): SealedHeaders {
  const current =
    sealed && patch
      ? (JSON.parse(keyring.decrypt('webhook-headers', endpointId, sealed)) as CustomHeaders)
      : {};
  const headers = applyHeadersPatch(current, { ...patch });
  const headerNames = Object.keys(headers);
  if (headerNames.length > MAX_CUSTOM_HEADERS) {
    throw invalidField('headers', 'too_long', `headers must have at most ${MAX_CUSTOM_HEADERS} entries`);
  }
  if (headerNames.length === 0) return { headers: null, headerNames };
  return { headers: keyring.encrypt('webhook-headers', endpointId, JSON.stringify(headers)), headerNames };
}
