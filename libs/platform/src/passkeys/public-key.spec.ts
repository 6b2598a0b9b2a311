import { generateKeyPairSync } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { isPasskeyPublicKey } from './public-key.js';

const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text!, 'base64url'));
const encode = (key: [number, unknown][]): Buffer => Buffer.from(isoCBOR.encode(new Map(key) as never));

function ecKey(namedCurve = 'P-256'): [number, unknown][] {
  const { x, y } = generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
  return [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ];
}

function edKey(): [number, unknown][] {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return [
    [1, 1],
    [3, -8],
    [-1, 6],
    [-2, bytes(x)],
  ];
}

function rsaKey(modulusLength: number): [number, unknown][] {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  return [
    [1, 3],
    [3, -257],
    [-1, bytes(n)],
    [-2, bytes(e)],
  ];
}

const replace = (key: [number, unknown][], label: number, value: unknown): [number, unknown][] =>
  key.map(([name, old]) => [name, name === label ? value : old]);

it.each([
  ['ES256', encode(ecKey())],
  ['EdDSA', encode(edKey())],
  ['RS256', encode(rsaKey(2048))],
])('accepts a COSE key for %s', async (_, key) => expect(await isPasskeyPublicKey(key)).toBe(true));

it.each<[string, Buffer]>([
  ['no bytes', Buffer.alloc(0)],
  ['bytes that are not CBOR', Buffer.from('ff', 'hex')],
  ['CBOR that is not a map', Buffer.from('80', 'hex')],
  ['bytes after the key', Buffer.concat([encode(ecKey()), Buffer.from([0])])],
  ['another algorithm', encode(replace(ecKey(), 3, -35))],
  ['another type', encode(replace(ecKey(), 1, 3))],
  ['another curve', encode(ecKey('P-384'))],
  ['a point outside the curve', encode(replace(ecKey(), -3, new Uint8Array(32)))],
  ['a missing coordinate', encode(ecKey().slice(0, 4))],
  ['an RSA key of 1024 bits', encode(rsaKey(1024))],
])('rejects %s', async (_, key) => expect(await isPasskeyPublicKey(key)).toBe(false));
