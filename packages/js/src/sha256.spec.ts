import { createHash } from 'node:crypto';
import { sha256 } from './sha256.js';

it('returns the same hashes as node:crypto for all lengths up to three blocks', () => {
  const different: number[] = [];
  for (let length = 0; length <= 192; length += 1) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 256);
    const expected = createHash('sha256').update(message).digest('hex');
    if (Buffer.from(sha256(message)).toString('hex') !== expected) different.push(length);
  }
  expect(different).toEqual([]);
});
