import { generateKeyPairSync } from 'node:crypto';
import { readSigningKey } from './read-signing-key.js';

const createPem = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

describe('readSigningKey', () => {
  it('returns a P-256 key as PEM, regardless of pasted line breaks', () => {
    const pem = createPem('P-256');
    const lines = pem.trim().split('\n');
    const texts = [
      pem,
      pem.trim(),
      pem.replaceAll('\n', '\r\n'),
      lines.join(' '),
      lines.join(''),
      lines.join('\\n'),
      lines.slice(1, -1).join('\n'),
    ];
    expect(texts.map(readSigningKey)).toEqual(texts.map(() => pem));
  });

  it('returns null for other keys and strings', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const texts = [
      '',
      'a key',
      'AAAA',
      createPem('P-384'),
      rsa.export({ type: 'pkcs8', format: 'pem' }) as string,
      ec.privateKey.export({ type: 'sec1', format: 'pem' }) as string,
      ec.publicKey.export({ type: 'spki', format: 'pem' }) as string,
    ];
    expect(texts.map(readSigningKey)).toEqual(texts.map(() => null));
  });
});
