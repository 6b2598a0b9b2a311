/**
 * Decodes base64url. Returns null for a string that is not the canonical encoding of its bytes. Otherwise, several
 * strings would be accepted for the same authentic value (RFC 4648, section 3.5).
 */
export function decodeBase64Url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
