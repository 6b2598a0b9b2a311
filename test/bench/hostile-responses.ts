import { brotliCompressSync, gzipSync } from 'node:zlib';
import { targetResponses } from '../support/target-responses.js';

/** A receiver's response in the benchmark. */
export interface BenchResponse {
  name: string;
  bytes: Buffer;
  /** Sends each byte in a separate packet. */
  isTrickled?: true;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const early = `HTTP/1.1 103 Early Hints\r\n${'X-More: x\r\n'.repeat(1_400)}\r\n`;
const bomb = Buffer.alloc(20_000_000);
/** Data that barely compresses, so that every block of a compressed body contains its own Huffman tables. */
const noise = Buffer.from(
  Array.from({ length: 16_000 }, (_, index) => (index * index * 7 + index * 31) >> 3),
);

const define = (name: string, head: string, body: string | Buffer = ''): BenchResponse => ({
  name,
  bytes: Buffer.concat([Buffer.from(head), Buffer.from(body as string)]),
});
const encoded = (name: string, coding: string, body: Buffer): BenchResponse =>
  define(name, `${ok}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`, body);

/** Responses that take as much work as possible to process, at least one for each part of a response. */
export const hostileResponses: BenchResponse[] = [
  define('1,990 headers', `${ok}${'X-More: x\r\n'.repeat(1_990)}\r\n`),
  define('20,000 headers', `${ok}${'a:\r\n'.repeat(20_000)}\r\n`),
  define('16 KiB of headers without a name', `${ok}${':\r\n'.repeat(5_400)}\r\n`),
  define('16 KiB of folded lines', `${ok}a: b\r\n${' b\r\n'.repeat(4_000)}\r\n`),
  define('16 KiB of control characters', `${ok}a: ${'\x01x'.repeat(8_000)}\r\n\r\n`),
  define('16 KiB of lengths', `${ok}${'Content-Length: 2\r\n'.repeat(850)}\r\n`, 'ok'),
  define('16 KiB of transfer codings', `${ok}Transfer-Encoding: ${'x,'.repeat(8_000)}chunked\r\n\r\n`),
  define('16 KiB of content codings', `${ok}Content-Encoding: ${'x,'.repeat(8_000)}\r\n\r\n`, 'ok'),
  define(
    'a content type of 16 KiB',
    `${ok}Content-Type: text/plain${'; charset=x'.repeat(1_400)}\r\n\r\n`,
    'ok',
  ),
  define('20 interim responses of 15 KB', `${early.repeat(20)}${ok}\r\n`, 'ok'),
  define('5 MB at once', `${ok}\r\n`, Buffer.alloc(5_000_000, 'x')),
  define('100,000 one-byte chunks', chunked, `${'1\r\nx\r\n'.repeat(100_000)}0\r\n\r\n`),
  define('chunk extensions of 60 KB', chunked, `1;${'x'.repeat(60_000)}\r\nx\r\n0\r\n\r\n`),
  define('1,990 trailers', chunked, `2\r\nok\r\n0\r\n${'X-More: x\r\n'.repeat(1_990)}\r\n`),
  define('200 responses', `${ok}Content-Length: 2\r\n\r\nok`.repeat(200)),
  encoded('a gzip bomb', 'gzip', gzipSync(bomb)),
  encoded('a br bomb', 'br', brotliCompressSync(bomb)),
  encoded('gzip of noise', 'gzip', gzipSync(noise)),
  encoded('br of noise', 'br', brotliCompressSync(noise)),
  encoded('a gzip bomb in br', 'gzip, br', brotliCompressSync(gzipSync(bomb))),
  {
    ...define('headers, one byte per packet', `${ok}X-More: ${'x'.repeat(120)}\r\n\r\n`),
    isTrickled: true,
  },
  { ...define('a body, one byte per packet', `${ok}\r\n`, 'x'.repeat(4_000)), isTrickled: true },
  {
    ...define('one-byte chunks, one byte per packet', chunked, '1\r\nx\r\n'.repeat(700)),
    isTrickled: true,
  },
];

/** The responses from the tests, and the hostile ones. */
export const benchResponses: BenchResponse[] = [...targetResponses, ...hostileResponses];
