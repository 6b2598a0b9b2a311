import { Readable } from 'node:stream';
import { OutboundResponse } from './outbound-response.js';

const MAX_RESPONSE_BYTES = 16 * 1024;

const respond = (body: string | Buffer | Buffer[] | Readable, headers: Record<string, string> = {}) => {
  const stream =
    body instanceof Readable ? body : Readable.from([body].flat().map((each) => Buffer.from(each)));
  return new OutboundResponse(200, headers, stream, undefined, (error) => error as Error);
};
const read = (body: string | Buffer | Buffer[] | Readable, headers: Record<string, string> = {}) =>
  respond(body, headers).excerpt(MAX_RESPONSE_BYTES);

describe('OutboundResponse.excerpt', () => {
  it('returns a body in one or several chunks unchanged', async () => {
    for (const body of ['', 'ok', '{"received":true}', 'Ünï©ode 🦄', ' \r\n\t '])
      await expect(read(body)).resolves.toBe(body);
    const bytes = Buffer.from('🦄');
    await expect(read([bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3)])).resolves.toBe('🦄');
  });

  it('WH-12: returns at most 16 KiB', async () => {
    await expect(read('x'.repeat(16_384))).resolves.toHaveLength(16_384);
    await expect(read('x'.repeat(16_385))).resolves.toHaveLength(16_384);
  });

  it.each([
    ['é', 2],
    ['€', 3],
    ['🦄', 4],
  ])('WH-12: never splits %s', async (character, bytes) => {
    for (let offset = 0; offset < bytes; offset += 1) {
      const text = await read('x'.repeat(offset) + character.repeat(16_384));
      expect(text).not.toContain('\ufffd');
      expect(text.isWellFormed()).toBe(true);
      const length = Buffer.byteLength(text);
      expect(length).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
      expect(length).toBeGreaterThan(MAX_RESPONSE_BYTES - bytes);
    }
  });

  it.each([
    ['a lone continuation byte', [0x61, 0x80, 0x62], 'a\ufffdb'],
    ['a byte that is never valid in UTF-8', [0x61, 0xff, 0x62], 'a\ufffdb'],
    ['an overlong slash', [0xc0, 0xaf], '\ufffd\ufffd'],
    ['a surrogate', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
    ['a truncated code point', [0x61, 0xe2, 0x82], 'a\ufffd'],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9], 'caf\ufffd'],
  ])('WH-12: replaces %s', async (_, bytes, text) => {
    await expect(read(Buffer.from(bytes))).resolves.toBe(text);
  });

  it('WH-12: returns at most 16 KiB if every byte is replaced with three', async () => {
    const text = await read(Buffer.alloc(40_000, 0xff));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(text).toMatch(/^\ufffd{5000,}$/);
  });

  it('WH-12: returns the rest of the text despite continuation bytes at the limit', async () => {
    const text = await read(Buffer.concat([Buffer.from('ok'), Buffer.alloc(20_000, 0x80)]));
    expect(text.length).toBeGreaterThan(5_000);
  });

  it('WH-12: removes NUL, which PostgreSQL cannot store', async () => {
    await expect(read('a\0b\0\0c')).resolves.toBe('abc');
    await expect(read('\0'.repeat(20_000))).resolves.toBe('');
  });

  it('WH-12: returns text that JSON can represent', async () => {
    const text = await read(Buffer.from(Array.from({ length: 16_384 }, (_, index) => index % 256)));
    expect(JSON.parse(JSON.stringify(text))).toBe(text);
    expect(text.isWellFormed()).toBe(true);
  });

  it('stops reading at the limit and closes the connection', async () => {
    let pulled = 0;
    const endless = new Readable({
      read() {
        pulled += 1;
        this.push(Buffer.alloc(1_024, 0x78));
      },
    });
    await expect(read(endless)).resolves.toHaveLength(MAX_RESPONSE_BYTES);
    expect(endless.destroyed).toBe(true);
    expect(pulled).toBeLessThan(100);
  });

  it('WH-06: returns the received part if the body is interrupted', async () => {
    const interrupted = Readable.from(
      (async function* () {
        yield Buffer.from('the beginning');
        throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
      })(),
    );
    await expect(read(interrupted)).resolves.toBe('the beginning');
  });
});
