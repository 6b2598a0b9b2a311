import { Keyring } from './keyring.js';
import { readSignedJson, signJson } from './signed-json.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const newer = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
const keyring = new Keyring([secret]);
const value = { to: '/ü', startedAt: 1 };
const text = signJson(keyring, 'operator-oidc', value);

it('returns the signed value with any secret of the ring', () => {
  for (const ring of [keyring, new Keyring([newer, secret])])
    expect(readSignedJson(ring, 'operator-oidc', text)).toEqual(value);
});

it('returns null for any other string', () => {
  const [content, mac] = text.split('.') as [string, string];
  const bytes = Buffer.from(mac, 'base64url');
  // A 32-byte MAC leaves two bits of the last character unused.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const sameBytes = mac.slice(0, -1) + alphabet[alphabet.indexOf(mac.at(-1)!) + 1]!;
  const forged = Buffer.from(JSON.stringify({ ...value, startedAt: 2 })).toString('base64url');
  const others = [
    ...['', '.', content, `${content}.`, `${text}.`, `${text}.${mac}`, `${text}=`, ` ${text}`, `${text}\n`],
    `${content}=.${mac}`,
    `${content}.${sameBytes}`,
    `${content}.${bytes.toString('base64')}`,
    `${content}.${bytes.subarray(0, 16).toString('base64url')}`,
    `${forged}.${mac}`,
    signJson(keyring, 'billing-portal', value),
    signJson(new Keyring([newer]), 'operator-oidc', value),
  ];
  expect(others.filter((other) => readSignedJson(keyring, 'operator-oidc', other) !== null)).toEqual([]);
});
