/** Maximum number of headers that are read from a response. */
export const MAX_RESPONSE_HEADERS = 100;

/** Maximum size of a response's status line and headers, in bytes. */
export const MAX_RESPONSE_HEAD_BYTES = 16 * 1024;

/** The status line and the headers of a response, as they are passed to the parser of Node.js. */
export interface ResponseHead {
  /** The received bytes of a well-formed head; otherwise a well-formed replacement. */
  bytes: Buffer;
  /** True if headers were ignored because they exceed a limit. */
  isCut: boolean;
}

/** The code must end after three digits. Everything else is as tolerant as curl and Go. */
const STATUS_LINE = /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})(?![^ \t\r])/i;
const STRICT_STATUS_LINE = /^HTTP\/1\.[01] \d{3}(?: [\t\x20-\x7e\x80-\xff]*)?\r$/;

/** A token (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const INVALID_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]+/g;

/** Maximum size of the headers that a replacement adds, in bytes. */
const CONNECTION_HEADERS_BYTES = 64;

/** Headers that describe the connection. A replacement contains its own. */
const CONNECTION_HEADERS = new Set([
  ...['connection', 'content-length', 'keep-alive', 'proxy-connection', 'trailer', 'transfer-encoding'],
  'upgrade',
]);

/** Returns the status of a response, `undefined` if its status line is incomplete, or null if it is invalid. */
export function readStatus(head: Buffer): number | null | undefined {
  const end = head.indexOf('\n');
  const isTooLong = head.length > MAX_RESPONSE_HEAD_BYTES;
  const text = head.toString('latin1', 0, Math.min(end < 0 ? head.length : end, MAX_RESPONSE_HEAD_BYTES));
  if (end < 0 && !isTooLong) {
    const beginning = text.slice(0, 5).toUpperCase();
    return 'HTTP/'.startsWith(beginning) ? undefined : null;
  }
  const code = STATUS_LINE.exec(text)?.[1];
  return code === undefined ? null : Number(code);
}

/**
 * Parses the status line and the headers of a response, regardless of how they violate RFC 9112: lines may end
 * with LF alone, headers may be folded, contain control characters or have invalid names, and lengths may be
 * repeated or contradictory. A head with a violation, or with more headers than the limit, is replaced by a
 * well-formed head that closes the connection after the response, so that it cannot affect another response
 * (docs/adr/0086-tolerant-response-heads.md).
 * @param head the bytes up to the end of the empty line; or the beginning of a head that exceeds the limit
 * @param hasBody false if the connection ends within the head, or if the head exceeds the limit
 */
export function parseResponseHead(head: Buffer, status: number, hasBody: boolean): ResponseHead {
  const text = head.toString('latin1', 0, MAX_RESPONSE_HEAD_BYTES);
  // Status line, headers, and the two strings of the empty line.
  const [statusLine, ...lines] = text.split('\n', MAX_RESPONSE_HEADERS + 3) as [string, ...string[]];
  const { headers, isStrict } = parseLines(lines);
  if (hasBody && isStrict && STRICT_STATUS_LINE.test(statusLine) && hasStrictFraming(headers))
    return { bytes: head, isCut: false };
  const others = headers.slice(0, MAX_RESPONSE_HEADERS).filter(([name]) => !CONNECTION_HEADERS.has(name));
  const kept = limitSize(others);
  const framing = hasBody ? bodyFraming(text) : 'content-length: 0';
  const replacement = [
    `HTTP/1.1 ${String(status).padStart(3, '0')} `,
    ...kept.map(([name, value]) => `${name}: ${value}`),
    ...(framing ? [framing] : []),
    'connection: close',
  ];
  const isCut =
    headers.length > MAX_RESPONSE_HEADERS ||
    kept.length < others.length ||
    head.length > MAX_RESPONSE_HEAD_BYTES;
  const bytes = Buffer.from(`${replacement.join('\r\n')}\r\n\r\n`, 'latin1');
  return { bytes, isCut };
}

type Header = [name: string, value: string];

/** @returns `isStrict`: whether the lines are those of a complete head that follows RFC 9112, within the limit */
function parseLines(lines: string[]): { headers: Header[]; isStrict: boolean } {
  const headers: Header[] = [];
  // A complete head ends with an empty line, and split() returns the empty string that follows it.
  let isStrict = lines.at(-1) === '' && lines.at(-2) === '\r';
  for (const line of lines.slice(0, -1)) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text === '') continue;
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0));
    const value = text.slice(colon + 1).trim();
    isStrict &&= text !== line && HEADER_NAME.test(name) && value.search(INVALID_IN_VALUE) < 0;
    if (HEADER_NAME.test(name.trim())) headers.push([name.trim().toLowerCase(), value]);
    else if (/^[ \t]/.test(text) && headers.length > 0) headers.at(-1)![1] += ` ${text.trim()}`;
  }
  return { headers, isStrict };
}

/** Returns the headers that the parser of Node.js accepts together with those of the connection. */
function limitSize(headers: Header[]): Header[] {
  let size = CONNECTION_HEADERS_BYTES;
  return headers
    .map(([name, value]): Header => [name, value.replaceAll(INVALID_IN_VALUE, ' ')])
    .filter(([name, value]) => (size += name.length + value.length) < MAX_RESPONSE_HEAD_BYTES);
}

/** Returns whether at most one valid length, or the transfer coding `chunked` alone, is present. */
function hasStrictFraming(headers: Header[]): boolean {
  const valuesOf = (wanted: string): string[] =>
    headers.filter(([name]) => name === wanted).map(([, value]) => value.toLowerCase());
  const lengths = valuesOf('content-length');
  const codings = valuesOf('transfer-encoding');
  if (codings.length > 0) return codings.length === 1 && codings[0] === 'chunked' && lengths.length === 0;
  return lengths.length === 0 || (lengths.length === 1 && /^\d{1,15}$/.test(lengths[0]!));
}

/**
 * Returns the header that delimits the body: chunks, as in curl and Go, even if there is also a length; or a length
 * on which all values agree. Otherwise, the body ends with the connection.
 */
function bodyFraming(head: string): string | null {
  const listOf = (name: string): string[] =>
    [...head.matchAll(new RegExp(`^${name}[ \\t]*:(.*)`, 'gim'))].flatMap(([, value]) =>
      value!.split(',').map((item) => item.trim().toLowerCase()),
    );
  if (listOf('transfer-encoding').at(-1) === 'chunked') return 'transfer-encoding: chunked';
  const lengths = new Set(listOf('content-length'));
  const [length] = lengths;
  return lengths.size === 1 && /^\+?\d{1,15}$/.test(length!) ? `content-length: ${Number(length)}` : null;
}
