import { createHmac, randomInt } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns a 160-bit secret (RFC 4226, section 4). */
export const randomTotpSecret = (): string =>
  Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('');

/**
 * Returns an authenticator's code (RFC 6238), `steps` of 30 s from now. It does not use Gatehouse's implementation,
 * because tests compare the two.
 */
export function totpCode(secret: string, steps = 0, at = Date.now()): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000) + steps));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}
