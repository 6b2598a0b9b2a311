import { deliveryHeaders, publicId, type CustomHeaders } from '@gatehouse/domain';
import type { ClaimedAttempt } from '@gatehouse/persistence';
import { now, signWebhook, webhookUserAgent, type Keyring } from '@gatehouse/platform';

type AttemptToSign = Pick<
  ClaimedAttempt,
  'endpointId' | 'eventId' | 'body' | 'secret' | 'previousSecret' | 'headers'
>;

/**
 * The headers of one attempt: the endpoint's own, then ours, with a fresh timestamp and a signature by every secret
 * that is valid, the newest first (Standard Webhooks 1.0).
 * @throws Error when what is encrypted cannot be read
 */
export function webhookHeaders(keyring: Keyring, attempt: AttemptToSign): Record<string, string> {
  const { endpointId, body } = attempt;
  const id = publicId('event', attempt.eventId);
  const timestamp = Math.floor(now().getTime() / 1000);
  const signatures = [attempt.secret, attempt.previousSecret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => keyring.decrypt('webhook-secret', endpointId, sealed))
    .map((secret) => signWebhook(secret, id, timestamp, body));
  const custom = attempt.headers
    ? (JSON.parse(keyring.decrypt('webhook-headers', endpointId, attempt.headers)) as CustomHeaders)
    : {};
  return {
    ...custom,
    ...deliveryHeaders(id, webhookUserAgent),
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
