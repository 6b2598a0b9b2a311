import { decodeBase64Url } from './base64url.js';
import type { Keyring, MacPurpose } from './keyring.js';

const MAC_LENGTH = 32;

/** Returns a value as a string that only this installation can create: the JSON in base64url, and a MAC. */
export function signJson(keyring: Keyring, purpose: MacPurpose, value: unknown): string {
  const content = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${content}.${keyring.mac(purpose, content).toString('base64url')}`;
}

/**
 * Returns the value from a string created by `signJson`, or null for any other string, including one whose MAC is
 * encoded differently.
 */
export function readSignedJson(keyring: Keyring, purpose: MacPurpose, text: string): unknown {
  const [content = '', macText = '', ...rest] = text.split('.');
  const mac = decodeBase64Url(macText);
  const isComplete = mac?.length === MAC_LENGTH && rest.length === 0;
  if (!isComplete || !keyring.verifyMac(purpose, content, mac)) return null;
  return JSON.parse(Buffer.from(content, 'base64url').toString());
}
