import { publicId, type CustomHeaders } from '@gatehouse/domain';
import type { ClaimedAttempt } from '@gatehouse/persistence';
import { signedHeaders, tracing, type Keyring } from '@gatehouse/platform';

/** The parts of an attempt that are sent in its request. */
export type WebhookToSend = Pick<
  ClaimedAttempt,
  'targetUrl' | 'endpointId' | 'eventId' | 'attempt' | 'body' | 'secret' | 'previousSecret' | 'headers'
>;

/**
 * Returns the headers of one attempt: the custom headers of the endpoint, overridden by those of Gatehouse,
 * with a current timestamp and a signature with each valid secret, the newest first (Standard Webhooks 1.0), and
 * with the current trace.
 * @throws Error if a secret or the headers cannot be decrypted
 */
export function webhookHeaders(
  keyring: Keyring,
  attempt: Omit<WebhookToSend, 'targetUrl' | 'attempt'>,
): Record<string, string> {
  const { endpointId, body } = attempt;
  const id = publicId('event', attempt.eventId);
  const secrets = [attempt.secret, attempt.previousSecret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => keyring.decrypt('webhook-secret', endpointId, sealed));
  const custom = attempt.headers
    ? (JSON.parse(keyring.decrypt('webhook-headers', endpointId, attempt.headers)) as CustomHeaders)
    : {};
  const { traceparent } = tracing ?? {};
  return { ...custom, ...signedHeaders(id, body, secrets), ...(traceparent ? { traceparent } : {}) };
}
