/**
 * Decodes base64url. Returns null for a string that is not the canonical encoding of its bytes: otherwise one authentic
 * value would have several accepted strings (RFC 4648, section 3.5).
 */
export function decodeBase64Url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
