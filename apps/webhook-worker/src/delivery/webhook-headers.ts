import { publicId, type CustomHeaders } from '@gatehouse/domain';
import type { ClaimedAttempt } from '@gatehouse/persistence';
import { signedHeaders, tracing, type Keyring, type UnreadableValues } from '@gatehouse/platform';

/** The fields of an attempt that its request is built from. */
export type WebhookToSend = Pick<
  ClaimedAttempt,
  'targetUrl' | 'endpointId' | 'eventId' | 'attempt' | 'body' | 'secret' | 'previousSecret' | 'headers'
>;

/**
 * Returns an attempt's headers: the endpoint's custom headers, overridden by Gatehouse's own. Gatehouse's headers
 * contain a current timestamp, one signature per valid secret, the newer first (Standard Webhooks 1.0), and the current
 * trace. A previous secret that cannot be decrypted is reported and left out, because the current one suffices.
 * @throws UnreadableValueError if the current secret or the custom headers cannot be decrypted
 */
export function webhookHeaders(
  keyring: Keyring,
  attempt: Omit<WebhookToSend, 'targetUrl' | 'attempt'>,
  unreadable: Pick<UnreadableValues, 'readOrNull'>,
): Record<string, string> {
  const { endpointId, body, previousSecret } = attempt;
  const id = publicId('event', attempt.eventId);
  const decryptSecret = (sealed: Buffer): string => keyring.decrypt('webhook-secret', endpointId, sealed);
  const secret = decryptSecret(attempt.secret);
  const custom = attempt.headers
    ? (JSON.parse(keyring.decrypt('webhook-headers', endpointId, attempt.headers)) as CustomHeaders)
    : {};
  const previous =
    previousSecret && unreadable.readOrNull({ endpointId }, () => decryptSecret(previousSecret));
  const secrets = previous === null ? [secret] : [secret, previous];
  const { traceparent } = tracing ?? {};
  return { ...custom, ...signedHeaders(id, body, secrets), ...(traceparent ? { traceparent } : {}) };
}
