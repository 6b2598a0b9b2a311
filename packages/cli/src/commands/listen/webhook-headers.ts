import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** Returns a signing secret in the Standard Webhooks format: `whsec_` + base64 of the bytes. */
export const formatSigningSecret = (bytes: Buffer): string => SECRET_PREFIX + bytes.toString('base64');

/** Returns true if a string is a signing secret of 24 to 64 bytes, as Standard Webhooks requires. */
export function isSigningSecret(text: string): boolean {
  const key = decodeKey(text);
  return key.length >= 24 && key.length <= 64 && formatSigningSecret(key) === text;
}

const decodeKey = (secret: string): Buffer => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');

export interface WebhookToSign {
  eventId: string;
  /** Sent unchanged. */
  body: string;
  secret: string;
  /** Current time in ms since 1970. */
  nowMs: number;
  userAgent: string;
}

/** Returns the headers that Gatehouse sends with a webhook (Standard Webhooks 1.0). */
export function webhookHeaders({
  eventId,
  body,
  secret,
  nowMs,
  userAgent,
}: WebhookToSign): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', decodeKey(secret)).update(`${eventId}.${timestamp}.${body}`);
  return {
    accept: '*/*',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature.digest('base64')}`,
  };
}
