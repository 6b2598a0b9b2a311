import { createHmac } from 'node:crypto';
import { deliveryHeaders } from '@gatehouse/domain';
import { now } from '../clock/clock.js';
import { webhookUserAgent } from '../runtime/version.js';

const SECRET_PREFIX = 'whsec_';

/** Returns a signing secret in the Standard Webhooks format: `whsec_` and the bytes in base64. */
export const formatWebhookSecret = (bytes: Buffer): string => SECRET_PREFIX + bytes.toString('base64');

/** Returns whether a string is a signing secret of 24 to 64 bytes, as Standard Webhooks requires. */
export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false;
  const key = decodeKey(text);
  return key.length >= 24 && key.length <= 64 && formatWebhookSecret(key) === text;
}

const decodeKey = (secret: string): Buffer => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');

/**
 * Returns a `webhook-signature` as in Standard Webhooks 1.0: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`.
 * @param timestamp in seconds since 1970
 */
export function signWebhook(secret: string, id: string, timestamp: number, body: string): string {
  return `v1,${createHmac('sha256', decodeKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/**
 * Returns the headers of a request with a JSON body, with the current timestamp and one signature per secret, in the
 * order of the secrets (Standard Webhooks 1.0).
 */
export function signedHeaders(id: string, body: string, secrets: string[]): Record<string, string> {
  const timestamp = Math.floor(now().getTime() / 1_000);
  return {
    ...deliveryHeaders(id, webhookUserAgent),
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signWebhook(secret, id, timestamp, body)).join(' '),
  };
}
