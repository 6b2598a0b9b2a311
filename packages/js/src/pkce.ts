import type { ClientCore } from './client-core.js';
import { sha256 } from './sha256.js';

/** Encodes bytes as base64url. React Native has no `btoa`. */
function base64url({ base64Alphabet }: ClientCore, bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const bits = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (const shift of [18, 12, 6, 0]) text += base64Alphabet[(bits >> shift) & 63];
  }
  return text.slice(0, Math.ceil((bytes.length * 4) / 3));
}

/** Returns 256 random bits as base64url. @throws GatehouseError `no_secure_random` */
export function randomString(core: ClientCore): string {
  const source = core.options.crypto ?? (globalThis as { crypto?: Crypto }).crypto;
  if (typeof source?.getRandomValues !== 'function')
    throw core.error('no_secure_random', 'Pass the crypto option: { getRandomValues }');
  const bytes = new Uint8Array(32);
  source.getRandomValues(bytes);
  return base64url(core, bytes);
}

/** Returns a code verifier and its challenge (RFC 7636). @throws GatehouseError `no_secure_random` */
export async function createVerifier(
  core: ClientCore,
): Promise<{ codeVerifier: string; codeChallenge: string }> {
  const codeVerifier = randomString(core);
  const bytes = Uint8Array.from(codeVerifier, (char) => char.charCodeAt(0));
  // `crypto.subtle` is missing in React Native and on pages served over plain http.
  const subtle = (globalThis as { crypto?: Partial<Crypto> }).crypto?.subtle;
  const hash = subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : sha256(bytes);
  return { codeVerifier, codeChallenge: base64url(core, hash) };
}
