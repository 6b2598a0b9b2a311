import { pbkdf2Sync } from 'node:crypto';
import { decodeBase64, encodeBase32, pbkdf2Hash } from './password-hashes.js';

describe('hash and secret encodings', () => {
  it('decodes base64 and base64url with or without padding, and nothing else', () => {
    const bytes = Buffer.from('fbff00', 'hex');
    for (const text of ['+/8A', '-_8A']) expect(decodeBase64(text)).toEqual(bytes);
    for (const text of ['+/8=', '-_8']) expect(decodeBase64(text)).toEqual(bytes.subarray(0, 2));
    for (const text of ['', 'A', 'AAAAA', 'AA AA', 'A===', 'grüße', '$2a$10$', 7, null, undefined])
      expect([text, decodeBase64(text)]).toEqual([text, null]);
  });

  it('encodes base32 without padding, as in RFC 4648, section 10', () => {
    const encoded = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) =>
      encodeBase32(Buffer.from(text)),
    );
    expect(encoded).toEqual(['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']);
  });

  it('keeps the first block of a PBKDF2 hash, which equals the shorter hash', () => {
    const salt = Buffer.from('salt');
    const hash = (digest: 'sha1' | 'sha256' | 'sha512', bytes: number) =>
      pbkdf2Hash(digest, 3, salt, pbkdf2Sync('password', salt, 3, bytes, digest));
    expect(hash('sha1', 64)).toBe(hash('sha1', 20));
    expect(hash('sha256', 64)).toBe(hash('sha256', 32));
    expect(hash('sha512', 64)).toMatch(/^\$pbkdf2-sha512\$i=3\$c2FsdA\$[A-Za-z0-9+/]{86}$/);
  });
});
