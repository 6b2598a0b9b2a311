/** Maximum number of headers that are read from a response. */
export const MAX_RESPONSE_HEADERS = 100;

/** Maximum size of a response's status line and headers, in bytes. */
export const MAX_RESPONSE_HEAD_BYTES = 16 * 1024;

/** Maximum number of lines that are parsed. A folded header has several lines. */
const MAX_LINES = 3 * MAX_RESPONSE_HEADERS;

/** Maximum size of the headers that are added for the Node.js parser, in bytes. */
const ADDED_BYTES = 64;

/** A response head, as it is passed to the Node.js parser. */
export interface ResponseHead {
  bytes: Buffer;
  /** True if headers were ignored because they exceed a limit. */
  isTruncated: boolean;
}

/** The status must consist of three digits. The rest is as tolerant as in curl and Go. */
const STATUS_LINE = /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)/i;
const STRICT_STATUS_LINE = /^HTTP\/1\.[01] \d{3}(?: [\t\x20-\x7e\x80-\xff]*)?\r$/;

/** A token (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const INVALID_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]+/g;

const LENGTH = /^\d{1,15}$/;

/** Headers that delimit the body. They are replaced in the head that is passed on. */
const FRAMING_HEADERS = new Set(['content-length', 'transfer-encoding']);
/** Headers about the connection, which are passed on only if it can be reused. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'trailer', 'upgrade']);

/** Returns a response's status, undefined if the status line is incomplete, or null if it is invalid. */
export function readStatus(head: Buffer): number | null | undefined {
  const end = head.indexOf('\n');
  const isTooLong = head.length > MAX_RESPONSE_HEAD_BYTES;
  const text = head.toString('latin1', 0, Math.min(end < 0 ? head.length : end, MAX_RESPONSE_HEAD_BYTES));
  if (end < 0 && !isTooLong) return 'HTTP/'.startsWith(text.slice(0, 5).toUpperCase()) ? undefined : null;
  const code = STATUS_LINE.exec(text)?.[1];
  return code === undefined ? null : Number(code);
}

/**
 * Parses a response's headers, even if they violate RFC 9112: lines can end with only LF, headers can be folded,
 * contain control characters or have invalid names, and lengths can be repeated or contradictory. Returns a well-formed
 * head. If there is a violation or a limit is exceeded, this head closes the connection after the response, so that the
 * response cannot affect another one (docs/adr/0086-tolerant-response-heads.md).
 * @param head the bytes up to the end of the empty line, or the beginning of a head that exceeds the limit
 * @param hasBody false if the connection ended within the head, or the head exceeds the limit
 */
export function parseResponseHead(head: Buffer, status: number, hasBody: boolean): ResponseHead {
  const text = head.toString('latin1', 0, MAX_RESPONSE_HEAD_BYTES);
  // The status line, the headers, and two strings for the empty line.
  const [statusLine, ...lines] = text.split('\n', MAX_LINES + 3) as [string, ...string[]];
  const isComplete = hasBody && lines.at(-1) === '';
  const { headers, isStrict } = parseLines(lines);
  const framing = isComplete ? headers.filter(([name]) => FRAMING_HEADERS.has(name)) : findFraming(text);
  const isOrdinary =
    isComplete &&
    isStrict &&
    headers.length <= MAX_RESPONSE_HEADERS &&
    STRICT_STATUS_LINE.test(statusLine) &&
    isStrictFraming(framing);
  let isTruncated =
    (hasBody && !isComplete) ||
    headers.length > MAX_RESPONSE_HEADERS ||
    head.length > MAX_RESPONSE_HEAD_BYTES;
  const minor = isOrdinary && statusLine.startsWith('HTTP/1.0') ? 0 : 1;
  let passedOn = `HTTP/1.${minor} ${String(status).padStart(3, '0')} \r\n`;
  let size = ADDED_BYTES;
  for (const [name, value] of headers.slice(0, MAX_RESPONSE_HEADERS)) {
    if (FRAMING_HEADERS.has(name) || (!isOrdinary && CONNECTION_HEADERS.has(name))) continue;
    size += name.length + value.length;
    // The Node.js parser would reject a larger head.
    if (size < MAX_RESPONSE_HEAD_BYTES) passedOn += `${name}: ${value}\r\n`;
    else isTruncated = true;
  }
  passedOn += hasBody ? bodyFraming(framing) : 'content-length: 0\r\n';
  if (!isOrdinary) passedOn += 'connection: close\r\n';
  return { bytes: Buffer.from(`${passedOn}\r\n`, 'latin1'), isTruncated };
}

type Header = [name: string, value: string];

/** @returns the headers; `isStrict` is true if all lines conform to RFC 9112 */
function parseLines(lines: string[]): { headers: Header[]; isStrict: boolean } {
  const headers: Header[] = [];
  let isStrict = true;
  // The last element is an incomplete line, or the empty string after the head.
  for (const line of lines.slice(0, -1)) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0));
    const value = text.slice(colon + 1);
    const isHeader = HEADER_NAME.test(name) && value.search(INVALID_IN_VALUE) < 0;
    isStrict &&= text !== line && (isHeader || text === '');
    if (isHeader) headers.push([name.toLowerCase(), value.trim()]);
    else if (HEADER_NAME.test(name.trim())) headers.push([name.trim().toLowerCase(), trimBlanks(value)]);
    else if (/^[ \t]/.test(text) && headers.length > 0) headers.at(-1)![1] += ` ${trimBlanks(text)}`;
  }
  return { headers, isStrict };
}

/** Replaces characters that are invalid in a value with spaces, and trims the result. */
const trimBlanks = (value: string): string => value.replaceAll(INVALID_IN_VALUE, ' ').trim();

/**
 * Returns whether the body is delimited by at most one header: a valid length, or only the transfer coding `chunked`.
 */
function isStrictFraming(framing: Header[]): boolean {
  const [first, second] = framing;
  if (!first || second) return !first;
  const [name, value] = first;
  return name === 'content-length' ? LENGTH.test(value) : value.toLowerCase() === 'chunked';
}

/**
 * Returns the header that delimits the body. As in curl and Go, `chunked` takes precedence over a length. A length is
 * used only if all values are equal. Otherwise, the body ends with the connection.
 */
function bodyFraming(framing: Header[]): string {
  const listValues = (wanted: string): string[] =>
    framing.flatMap(([name, value]) =>
      name === wanted ? value.split(',').map((item) => item.trim().toLowerCase()) : [],
    );
  if (listValues('transfer-encoding').at(-1) === 'chunked') return 'transfer-encoding: chunked\r\n';
  const lengths = new Set(listValues('content-length').map((length) => length.replace(/^\+?0*(?=\d)/, '')));
  const [length] = lengths;
  return lengths.size === 1 && LENGTH.test(length!) ? `content-length: ${length}\r\n` : '';
}

/** Finds the headers that delimit the body, even in lines beyond the parsed ones. */
const findFraming = (head: string): Header[] =>
  [...head.matchAll(/(?<=\n)(content-length|transfer-encoding)[ \t]*:([^\n]*)/gi)].map(([, name, value]) => [
    name!.toLowerCase(),
    trimBlanks(value!),
  ]);
