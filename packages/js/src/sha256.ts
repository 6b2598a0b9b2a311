/** Returns the numbers of FIPS 180-4: the first 32 bits of the fractional parts of roots of the first primes. */
function createConstants(count: number, root: number): number[] {
  const constants: number[] = [];
  for (let candidate = 2; constants.length < count; candidate += 1) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= candidate; factor += 1)
      if (candidate % factor === 0) isPrime = false;
    if (isPrime) constants.push(((candidate ** (1 / root) % 1) * 2 ** 32) | 0);
  }
  return constants;
}

const rotate = (value: number, bits: number): number => (value >>> bits) | (value << (32 - bits));

/** Returns the SHA-256 hash of bytes. It is for pages on plain http, which have no `crypto.subtle`. */
export function sha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const roundConstants = createConstants(64, 3);
  const hash = createConstants(8, 2);
  const padded = new Uint8Array(((message.length + 72) >> 6) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  const words = new Int32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(offset + 4 * i);
    extend(words);
    compress(hash, words, roundConstants);
  }
  const result = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => result.setInt32(4 * i, word));
  return new Uint8Array(result.buffer);
}

function extend(words: Int32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const [early, late] = [words[i - 15]!, words[i - 2]!];
    const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16]! + first + words[i - 7]! + second;
  }
}

function compress(hash: number[], words: Int32Array, roundConstants: number[]): void {
  let [a, b, c, d, e, f, g, h] = hash as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + roundConstants[i]! + words[i]!;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => (hash[i] = (hash[i]! + value) | 0));
}
