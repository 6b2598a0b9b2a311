/** The longest difference between a webhook's time and the local clock, in seconds. */
const TOLERANCE = 300;
/** The longest header that is read. Two signatures need 94 characters. */
const LONGEST_HEADER = 1_000;

/** A signing secret's key. `webhook()` runs before the first request, so the key is imported on demand. */
export type WebhookKey = () => Promise<CryptoKey>;

/** Returns the key for a secret `whsec_…`. @throws TypeError if it is not base64 or empty */
export function toWebhookKey(secret: string): WebhookKey {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('webhookSecret: expected whsec_ and the key in base64');
  let key: Promise<CryptoKey> | undefined;
  return () =>
    (key ??= crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']));
}

/**
 * Returns true if one of the keys has signed a webhook (Standard Webhooks) within five minutes of the local clock.
 * @param headers by name in lower case
 * @param now seconds since 1970
 */
export async function isSigned(
  keys: WebhookKey[],
  body: string,
  headers: Record<string, unknown>,
  now: number,
): Promise<boolean> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headers[name];
    return typeof value === 'string' && value.length <= LONGEST_HEADER ? value : '';
  }) as [string, string, string];
  if (!id || !/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE) return false;
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const entry of signatures.split(' ')) {
    const signature = entry.startsWith('v1,') ? decodeBase64(entry.slice('v1,'.length)) : null;
    if (!signature) continue;
    // Web Crypto compares in constant time.
    for (const key of keys)
      if (await crypto.subtle.verify('HMAC', await key(), signature, signed)) return true;
  }
  return false;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
