/** Maximum size of a decompressed meta-block, in bytes. */
const MAX_BLOCK_BYTES = 256 * 1024;

/** The number of length bits, by the value of the two bits MNIBBLES before them. The value 3 means metadata. */
const LENGTH_BITS = [16, 20, 24];

/**
 * Returns whether a Brotli decoder returns output after at most 256 KiB, based on the meta-block headers. It accepts
 * any number of uncompressed meta-blocks, followed by at most one compressed one, which is how encoders write short
 * texts. The headers after a compressed meta-block cannot be found without decoding it (RFC 7932, section 9).
 */
export function isSmallBrotli(bytes: Buffer): boolean {
  let position = windowBits(bytes);
  const read = (count: number): number => {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1, position += 1)
      value |= (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) << bit;
    return value;
  };
  while (position < bytes.length * 8) {
    const isLast = read(1) === 1;
    if (isLast && read(1) === 1) return true;
    const lengthBits = LENGTH_BITS[read(2)];
    if (lengthBits === undefined) return false;
    const length = read(lengthBits) + 1;
    if (length > MAX_BLOCK_BYTES) return false;
    if (isLast) return true;
    const isUncompressed = read(1) === 1;
    if (!isUncompressed) return false;
    position = (Math.ceil(position / 8) + length) * 8;
  }
  // The data ends within an uncompressed meta-block.
  return true;
}

/** Returns the length of the stream header in bits, which contains the window size (section 9.1). */
function windowBits([first = 0]: Buffer): number {
  if ((first & 1) === 0) return 1;
  return (first & 0b1110) === 0 ? 7 : 4;
}
