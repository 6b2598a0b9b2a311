import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const COLORS = 256;

/**
 * Reduces an image to its 256 most frequent colors, which takes a third of the bytes.
 * @param png 8 bits per channel, RGB or RGBA, as browsers encode it
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, bytes, pixels } = decode(png);
  const counts = new Map<number, number>();
  const colors = new Uint32Array(width * height);
  for (let i = 0; i < colors.length; i += 1) {
    const color = pixels.readUIntBE(i * bytes, 3);
    colors[i] = color;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const palette = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!).slice(0, COLORS);
  const paletteIndexes = new Map(palette.map((color, index) => [color, index]));
  const lines = Buffer.alloc((width + 1) * height);
  for (let i = 0; i < colors.length; i += 1) {
    const color = colors[i]!;
    if (!paletteIndexes.has(color)) paletteIndexes.set(color, nearestColor(palette, color));
    lines[i + Math.floor(i / width) + 1] = paletteIndexes.get(color)!;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Bit depth 8, color type 3 (palette).
  head.set([8, 3], 8);
  const entries = Buffer.concat(palette.map((color) => Buffer.from([color >> 16, color >> 8, color])));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', entries),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearestColor(palette: number[], color: number): number {
  const distance = (other: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((color >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  return palette.reduce((best, each, index) => (distance(each) < distance(palette[best]!) ? index : best), 0);
}

/**
 * Decodes a PNG (W3C PNG, section 9). Each row begins with the type of its filter, which predicts bytes from those to
 * the left and above.
 */
function decode(png: Buffer) {
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height, bytes] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * bytes;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)]!;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < bytes ? 0 : pixels[at - bytes]!;
      const above = y === 0 ? 0 : pixels[at - stride]!;
      const upperLeft = x < bytes || y === 0 ? 0 : pixels[at - stride - bytes]!;
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, upperLeft)][filter]!;
      pixels[at] = raw[y * (stride + 1) + 1 + x]! + predicted;
    }
  }
  return { width, height, bytes, pixels };
}

function paeth(left: number, above: number, upperLeft: number): number {
  const estimate = left + above - upperLeft;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - upperLeft)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : upperLeft;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
