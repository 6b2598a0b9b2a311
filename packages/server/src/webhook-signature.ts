/** Maximum difference between a webhook's timestamp and the local clock, in seconds. */
const TOLERANCE = 300;
/** Maximum length of a header value. Two signatures take 94 characters. */
const LONGEST_HEADER = 1_000;

/** Imports the key of a signing secret on first use, because `webhook()` is synchronous. */
export type WebhookKey = () => Promise<CryptoKey>;

/** Returns the key for a secret `whsec_…`. @throws TypeError if the secret is empty or not base64 */
export function toWebhookKey(secret: string): WebhookKey {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('webhookSecret: expected whsec_ and the key in base64');
  let key: Promise<CryptoKey> | undefined;
  return () =>
    (key ??= crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']));
}

/**
 * Returns true if a webhook was signed with one of the keys within five minutes of the local clock (Standard Webhooks).
 * @param headers the headers by lowercase name
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
