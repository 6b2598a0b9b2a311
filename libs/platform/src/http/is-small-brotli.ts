/** Maximum bytes to which a part of the data may decompress. */
const MAX_PART_BYTES = 256 * 1024;

/** The number of bits that follow the two bits MNIBBLES, by their value. The value 3 is metadata. */
const LENGTH_BITS = [16, 20, 24];

/**
 * Returns whether a Brotli decoder returns its output after at most 256 KiB, judging by the headers of the data's
 * parts, the meta-blocks: any number of uncompressed ones, and a compressed one at the end, as encoders write a short
 * text. The headers of later parts cannot be found without the decoder (RFC 7932, section 9).
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
    if (length > MAX_PART_BYTES) return false;
    if (isLast) return true;
    const isUncompressed = read(1) === 1;
    if (!isUncompressed) return false;
    position = (Math.ceil(position / 8) + length) * 8;
  }
  // The data ends within an uncompressed part.
  return true;
}

/** Returns the number of bits in the data's header, which contains the window size (section 9.1). */
function windowBits([first = 0]: Buffer): number {
  if ((first & 1) === 0) return 1;
  return (first & 0b1110) === 0 ? 7 : 4;
}
