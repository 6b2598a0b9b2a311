import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** Returns a signing secret in the format of Standard Webhooks: `whsec_` + base64 of the bytes. */
export const formatWebhookSecret = (bytes: Buffer): string => SECRET_PREFIX + bytes.toString('base64');

/**
 * Returns the `webhook-signature` of Standard Webhooks 1.0: `v1,` + base64 HMAC-SHA256 of
 * `id.timestamp.body`.
 * @param timestamp seconds since 1970
 */
export function signWebhook(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
