import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

/** A response that a receiver may send, and Gatehouse's interpretation. */
export interface TargetResponse {
  name: string;
  /** The bytes that the receiver sends before it closes the connection. */
  bytes: Buffer;
  /** The status, or 0 if there is none. */
  status: number;
  /** The logged body or, for a response without a status, the error code. */
  text: string;
}

const ok = 'HTTP/1.1 200 OK';
const length = 'Content-Length: 2';
const chunked = 'Transfer-Encoding: chunked';
const chunks = '2\r\nok\r\n0\r\n\r\n';
const cut = '[response headers beyond the limit ignored]\n';
const malformed = 'ERR_MALFORMED_RESPONSE';
const closed = 'ECONNRESET';
const early = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';

/** Joins a head's lines with CRLF. */
const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const numbered = (count: number, value = 'x'): string[] =>
  Array.from({ length: count }, (_, index) => `X-${index}: ${value}`);

const define = (name: string, bytes: string | Buffer, status: number, text: string): TargetResponse => ({
  name,
  bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes,
  status,
  text,
});
/** Defines a response with status 200 and the body `ok`. */
const accepted = (name: string, bytes: string): TargetResponse => define(name, bytes, 200, 'ok');
const rejected = (name: string, bytes: string, code = malformed): TargetResponse =>
  define(name, bytes, 0, code);

const withBody = (
  name: string,
  body: string | Buffer,
  text: string,
  ...headers: string[]
): TargetResponse => {
  const bytes = Buffer.from(body as string);
  const beginning = Buffer.from(head(ok, `Content-Length: ${bytes.length}`, ...headers), 'latin1');
  return define(name, Buffer.concat([beginning, bytes]), 200, text);
};

const statusLines: TargetResponse[] = [
  accepted('a plain response', head(ok, length) + 'ok'),
  accepted('no reason', head('HTTP/1.1 200', length) + 'ok'),
  accepted('an empty reason', head('HTTP/1.1 200 ', length) + 'ok'),
  accepted('a reason in UTF-8', head('HTTP/1.1 200 Ã¼', length) + 'ok'),
  accepted('a reason with a control character', head('HTTP/1.1 200 O\x01K', length) + 'ok'),
  accepted('HTTP/1.0', head('HTTP/1.0 200 OK') + 'ok'),
  accepted('HTTP/2 in the status line', head('HTTP/2 200 OK') + 'ok'),
  accepted('HTTP/2.0 in the status line', head('HTTP/2.0 200 OK') + 'ok'),
  accepted('an unknown version', head('HTTP/1.2 200 OK', length) + 'ok'),
  accepted('a lower-case version', head('http/1.1 200 OK', length) + 'ok'),
  accepted('two spaces in the status line', head('HTTP/1.1  200 OK', length) + 'ok'),
  accepted('many spaces in the status line', head(`HTTP/1.1${' '.repeat(40)}200 OK`, length) + 'ok'),
  accepted('a tab in the status line', head('HTTP/1.1\t200 OK', length) + 'ok'),
  accepted('empty lines before the status line', '\r\n\r\n' + head(ok, length) + 'ok'),
  accepted('no space after the status', head('HTTP/1.1 200OK', length) + 'ok'),
  define('status 000', head('HTTP/1.1 000 X', length) + 'ok', 0, 'ok'),
  define('status 099', head('HTTP/1.1 099 X', length) + 'ok', 99, 'ok'),
  define('status 600', head('HTTP/1.1 600 X', length) + 'ok', 600, 'ok'),
  define('status 999', head('HTTP/1.1 999 X', length) + 'ok', 999, 'ok'),
  define('status 204 with a body', head('HTTP/1.1 204 No Content', length) + 'ok', 204, ''),
  define('status 205', head('HTTP/1.1 205 Reset Content'), 205, ''),
  define('status 304 with a length', head('HTTP/1.1 304 Not Modified', length), 304, ''),
  rejected('a status of two digits', head('HTTP/1.1 20 OK', length) + 'ok'),
  rejected('a status of four digits', head('HTTP/1.1 2000 OK', length) + 'ok'),
  rejected('a status with letters', head('HTTP/1.1 2xx OK', length) + 'ok'),
  rejected('many empty lines before the status line', '\r\n'.repeat(40) + head(ok, length) + 'ok'),
  rejected('ICY', head('ICY 200 OK') + 'ok'),
  rejected('a byte order mark', 'ï»¿' + head(ok, length) + 'ok'),
  rejected('a space before the status line', ' ' + head(ok, length) + 'ok'),
  rejected('HTTP/0.9', '<html>ok</html>'),
  rejected('SSH', 'SSH-2.0-OpenSSH_9.9\r\n'),
  rejected('HTTP/2 frames', '\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64'),
];

const lineEnds: TargetResponse[] = [
  accepted('lines that end with LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'),
  accepted('a status line that ends with LF', 'HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok'),
  accepted('an empty line that ends with LF', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nok'),
  accepted('lines that end with CR CR LF', 'HTTP/1.1 200 OK\r\r\nContent-Length: 2\r\r\n\r\nok'),
  rejected('lines that end with CR', 'HTTP/1.1 200 OK\rContent-Length: 2\r\rok', closed),
  define('the end of the connection after the status line', 'HTTP/1.1 200 OK\r\n', 200, ''),
  define('the end of the connection within the headers', 'HTTP/1.1 200 OK\r\nX-Half: a', 200, ''),
  rejected('the end of the connection within the status line', 'HTTP/1.1 200 O', closed),
  rejected('a connection that is closed without a response', '', closed),
];

const lengths: TargetResponse[] = [
  accepted('no length', head(ok) + 'ok'),
  accepted('the same length twice', head(ok, length, length) + 'ok'),
  accepted('the same length twice in one header', head(ok, 'Content-Length: 2, 2') + 'ok'),
  accepted('two different lengths', head(ok, length, 'Content-Length: 3') + 'ok'),
  accepted('a length that is not a number', head(ok, 'Content-Length: abc') + 'ok'),
  accepted('an empty length', head(ok, 'Content-Length:') + 'ok'),
  accepted('a negative length', head(ok, 'Content-Length: -1') + 'ok'),
  accepted('a length with a plus sign', head(ok, 'Content-Length: +2') + 'ok'),
  accepted('a length with zeros', head(ok, 'Content-Length: 002') + 'ok'),
  ...['\t', '\v', '\f', '\xa0'].map((blank) =>
    accepted(
      `a length with ${JSON.stringify(blank)} around it`,
      head(ok, `Content-Length:${blank}2${blank}`) + 'ok',
    ),
  ),
  accepted('a length of 23 digits', head(ok, `Content-Length: ${'9'.repeat(23)}`) + 'ok'),
  define('a length beyond the body', head(ok, 'Content-Length: 9') + 'half', 200, 'half'),
  accepted('bytes after the body', head(ok, length) + 'okEXTRA'),
  accepted('two responses', (head(ok, length) + 'ok').repeat(2)),
  accepted('chunks', head(ok, chunked) + chunks),
  accepted('chunks and a length', head(ok, length, chunked) + chunks),
  accepted('chunks, declared twice', head(ok, chunked, chunked) + chunks),
  accepted('chunks, declared in capitals', head(ok, 'Transfer-Encoding: CHUNKED') + chunks),
  accepted('chunks, declared in a folded header', head(ok, 'Transfer-Encoding:', ' chunked') + chunks),
  accepted('chunks, declared after CR', head(ok, 'X-Y: a\r', chunked) + chunks),
  accepted('chunks, declared with a tab', head(ok, 'Transfer-Encoding:\tchunked\t') + chunks),
  accepted('a chunk extension', head(ok, chunked) + '2;a=b\r\nok\r\n0\r\n\r\n'),
  accepted('trailers', head(ok, chunked) + '2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n'),
  accepted('an invalid chunk after a valid one', head(ok, chunked) + '2\r\nok\r\nzz\r\n'),
  define('an invalid chunk size', head(ok, chunked) + 'zz\r\nok\r\n0\r\n\r\n', 200, ''),
  accepted('the transfer coding identity', head(ok, 'Transfer-Encoding: identity', length) + 'ok'),
  accepted('an unknown transfer coding', head(ok, 'Transfer-Encoding: x') + 'ok'),
];

const headers: TargetResponse[] = [
  accepted('a header without a colon', head(ok, 'garbage', length) + 'ok'),
  accepted('a header without a name', head(ok, ': x', length) + 'ok'),
  accepted('a header name with a space', head(ok, 'X Y: x', length) + 'ok'),
  accepted('a space before the colon', head(ok, 'X-Y : x', length) + 'ok'),
  accepted('a header name in UTF-8', head(ok, 'X-Ã¼: x', length) + 'ok'),
  accepted('a header name with parentheses', head(ok, 'X(y): x', length) + 'ok'),
  accepted('a header value in Latin-1', head(ok, 'X-Y: é', length) + 'ok'),
  accepted('a header value with a control character', head(ok, 'X-Y: a\x01b', length) + 'ok'),
  accepted('a header value with NUL', head(ok, 'X-Y: a\0b', length) + 'ok'),
  accepted('a header value with CR', head(ok, 'X-Y: a\rb', length) + 'ok'),
  accepted('a folded header', head(ok, 'X-Y: a', ' b', length) + 'ok'),
  accepted('60 folded headers', head(ok, ...numbered(60, 'a\r\n b'), length) + 'ok'),
  accepted('a folded first header', head(ok, ' b', length) + 'ok'),
  accepted('an invalid cookie', head(ok, 'Set-Cookie: é=\xff; Expires=never', length) + 'ok'),
  accepted('an empty Connection header', head(ok, 'Connection:', length) + 'ok'),
  accepted('an invalid Keep-Alive header', head(ok, 'Keep-Alive: timeout=-1', length) + 'ok'),
  accepted(
    'an upgrade that was not requested',
    head(ok, 'Upgrade: h2', 'Connection: upgrade', length) + 'ok',
  ),
  accepted('100 headers', head(ok, ...numbered(99), length) + 'ok'),
  define('101 headers', head(ok, ...numbered(100), length) + 'ok', 200, `${cut}ok`),
  define('1,000 headers', head(ok, ...numbered(1_000), length) + 'ok', 200, `${cut}ok`),
  define('1,990 headers', head(ok, ...numbered(1_990), length) + 'ok', 200, cut),
  accepted('a header of 15 KiB', head(ok, `X-Long: ${'x'.repeat(15 * 1024)}`, length) + 'ok'),
  define('a header of 17 KiB', head(ok, `X-Long: ${'x'.repeat(17 * 1024)}`, length) + 'ok', 200, cut),
  define('no reason, and headers of 90 KB', `HTTP/1.1 200\nX: ${'x'.repeat(90_000)}\n\nok`, 200, cut),
  define('headers of 90 KB', head(ok, ...numbered(90, 'x'.repeat(1_000)), length) + 'ok', 200, cut),
  define('a reason of 20 KB', head(`HTTP/1.1 200 ${'x'.repeat(20_000)}`, length) + 'ok', 200, cut),
];

const interim: TargetResponse[] = [
  accepted('100 Continue', head('HTTP/1.1 100 Continue') + head(ok, length) + 'ok'),
  accepted('100 Continue with LF', 'HTTP/1.1 100 Continue\n\n' + head(ok, length) + 'ok'),
  accepted(
    'an interim response of 17 KB',
    head('HTTP/1.1 103 X', `X: ${'x'.repeat(17_000)}`) + head(ok, length) + 'ok',
  ),
  rejected(
    'interim responses of 70 KB',
    head('HTTP/1.1 103 X', `X: ${'x'.repeat(7_000)}`).repeat(10) + head(ok, length) + 'ok',
    'ERR_INTERIM_RESPONSE',
  ),
  accepted('20 interim responses', early.repeat(20) + head(ok, length) + 'ok'),
  rejected('21 interim responses', early.repeat(21) + head(ok, length) + 'ok', 'ERR_INTERIM_RESPONSE'),
  rejected(
    'a series of interim responses with a long status line',
    `HTTP/1.1${' '.repeat(40)}103 Early Hints\r\n\r\n`.repeat(21) + head(ok, length) + 'ok',
    'ERR_INTERIM_RESPONSE',
  ),
  rejected(
    'a protocol switch',
    head('HTTP/1.1 101 Switching Protocols', 'Upgrade: h2c', 'Connection: upgrade'),
    'ERR_INTERIM_RESPONSE',
  ),
];

const latin1 = Buffer.from('größer', 'latin1');
const utf16 = Buffer.from('größer', 'utf16le');
const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex');

const gzip = 'Content-Encoding: gzip';
const namedGzip = Buffer.concat([
  Buffer.from('1f8b0808000000000003', 'hex'),
  Buffer.from('body.txt\0'),
  gzipSync('no stock').subarray(10),
]);

const bodies: TargetResponse[] = [
  ...[
    'identity',
    'Identity',
    ' identity ',
    '',
    'none',
    'UTF-8',
    'identity, identity',
    'x-unknown',
    'aws-chunked',
  ].map((coding) =>
    withBody(`content coding "${coding}"`, 'no stock', 'no stock', `Content-Encoding: ${coding}`),
  ),
  withBody('gzip', gzipSync('no stock'), 'no stock', gzip),
  withBody('gzip in capitals', gzipSync('no stock'), 'no stock', 'Content-Encoding: GZIP'),
  withBody('x-gzip', gzipSync('no stock'), 'no stock', 'Content-Encoding: x-gzip'),
  withBody('br', brotliCompressSync('no stock'), 'no stock', 'Content-Encoding: br'),
  withBody('deflate', deflateSync('no stock'), 'no stock', 'Content-Encoding: deflate'),
  withBody('deflate without its header', deflateRawSync('no stock'), 'no stock', 'Content-Encoding: deflate'),
  withBody(
    'gzip, then br',
    brotliCompressSync(gzipSync('no stock')),
    'no stock',
    'Content-Encoding: gzip, br',
  ),
  withBody('an empty gzip', gzipSync(''), '', gzip),
  withBody('a truncated gzip', gzipSync('no stock').subarray(0, 16), 'no st', gzip),
  withBody('gzip with bytes after it', Buffer.concat([gzipSync('no stock'), png]), 'no stock', gzip),
  withBody(
    'gzip with a wrong checksum',
    Buffer.concat([gzipSync('no stock').subarray(0, -8), png]),
    'no stock',
    gzip,
  ),
  withBody('gzip with the name of a file', namedGzip, 'no stock', gzip),
  withBody('gzip that is not named', gzipSync('no stock'), 'no stock', 'Content-Type: text/plain'),
  withBody('gzip that is named deflate', gzipSync('no stock'), 'no stock', 'Content-Encoding: deflate'),
  withBody('deflate that is named gzip', deflateSync('no stock'), 'no stock', gzip),
  withBody('"gzip" in quotes', gzipSync('no stock'), 'no stock', 'Content-Encoding: "gzip"'),
  withBody('gzip with a parameter', gzipSync('no stock'), 'no stock', 'Content-Encoding: gzip;q=1'),
  withBody('gzip that is plain text', 'no stock', 'no stock', gzip),
  withBody('a gzip bomb', gzipSync('x'.repeat(5_000_000)), 'x'.repeat(16_384), gzip),
  withBody(
    'a br bomb',
    brotliCompressSync('x'.repeat(5_000_000)),
    '[br body omitted]',
    'Content-Encoding: br',
  ),
  withBody(
    'br of 200 KB',
    brotliCompressSync('x'.repeat(200_000)),
    'x'.repeat(16_384),
    'Content-Encoding: br',
  ),
  withBody(
    'zstd',
    Buffer.from('28b52ffd200041000000', 'hex'),
    '[zstd body omitted]',
    'Content-Encoding: zstd',
  ),
  withBody('ISO-8859-1', latin1, 'größer', 'Content-Type: text/plain; charset=ISO-8859-1'),
  withBody('a quoted charset', latin1, 'größer', 'Content-Type: text/html;Charset="iso-8859-1"'),
  withBody('a charset in single quotes', latin1, 'größer', "Content-Type: text/html; charset='iso-8859-1'"),
  withBody('UTF-16', utf16, 'größer', 'Content-Type: text/plain; charset=utf-16le'),
  withBody(
    'a wrong charset and a byte order mark',
    Buffer.from('feff0061007a', 'hex'),
    'az',
    'Content-Type: text/plain; charset=utf-16',
  ),
  withBody('ISO-8859-1 without a charset', latin1, 'größer', 'Content-Type: text/plain'),
  withBody('an unknown name of ISO-8859-1', latin1, 'größer', 'Content-Type: text/plain; charset=latin-1'),
  withBody('an unknown charset', 'größer', 'größer', 'Content-Type: text/plain; charset=x-none'),
  withBody(
    'a document',
    png,
    '[application/vnd.openxmlformats-officedocument.wordprocessingml.document body omitted]',
    'Content-Type: application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ),
  withBody('a problem document', 'no stock', 'no stock', 'Content-Type: application/problem+json'),
  withBody('an image', png, '[image/png body omitted]', 'Content-Type: image/png'),
  withBody('text that is declared binary', 'no stock', 'no stock', 'Content-Type: application/octet-stream'),
  withBody(
    'binary that is declared text',
    Buffer.from([0x61, 0, 0xff, 0x62]),
    'aÿb',
    'Content-Type: text/plain',
  ),
];

/** Responses for every part of HTTP/1.1, both valid and invalid. */
export const targetResponses: TargetResponse[] = [
  ...statusLines,
  ...lineEnds,
  ...lengths,
  ...headers,
  ...interim,
  ...bodies,
];
