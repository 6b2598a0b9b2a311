import { isUtf8 } from 'node:buffer';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { GatehouseError } from '@gatehouse/domain';
import { hasBody, type GatehouseRequest } from '../request-context.js';
import { bodyMemory, STREAM_BYTES, structureMemory } from './request-memory.js';
import {
  parseStrictJson,
  parseStrictJsonOrList,
  type JsonLimits,
  type JsonStructure,
} from './strict-json.js';

const JSON_LIMIT = 64 * 1024;
const IMPORT_LIMIT = 16 * 2 ** 20;
const FORM_LIMIT = 4 * 1024;

/** Size limit of forms that identity providers submit. Apple's forms contain an id token. */
const PROVIDER_FORM_LIMIT = 16 * 1024;

/** The path to which identity providers submit forms (`form_post`). */
const PROVIDER_FORM_PATH = /^\/api\/v1\/auth\/oauth\/callback\//;

/** The hosted pages that accept HTML forms. Only the sign-in page and the provider callbacks also accept forms. */
const formPaths = new Set([
  '/verify-email',
  '/disown',
  '/email-sign-in',
  '/reset-password',
  '/accept-invite',
  '/confirm-email-change',
]);

/** The only paths that accept more than 64 KiB of JSON, or NDJSON of any length (contract, section 2). */
const importPaths = new Set(['/api/v1/customers/import', '/operator/v1/customers/import']);

/**
 * Limits for a list of 1,000 records, each with two 50-key objects. The list and its body add two levels. Without
 * `values`, a body could contain millions of values; 500 per record use 40 MB in total.
 */
const importLimits: JsonLimits = {
  name: 'body',
  depth: 22,
  keys: 200_000,
  values: 500_000,
  keysPerObject: 2_000,
  // A repeated key must not silently discard a ban or a second factor.
  hasUniqueKeys: true,
};

/** The only path that accepts a list: custom events (contract, section 4). */
const EVENTS_PATH = '/v1/events';

/** The limits for a list of 100 events, each of which may have many small members. */
const eventsLimits: JsonLimits = { name: 'body', depth: 20, keys: 10_000 };

const ndjsonType = /^application\/x-ndjson\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const formType = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Returns middleware that replaces Express's own body parsers, which accept UTF-16, invalid UTF-8 and compressed
 * bodies, turn a missing body into `{}`, and read an oversized body to its end before they reject it. Without a body,
 * `request.body` remains undefined.
 * @param holdRequests middleware that holds memory for a request before its body is read
 */
export function bodyReader(holdRequests: RequestHandler): RequestHandler[] {
  return [rejectUnsupportedBodies, holdRequests, readBody];
}

const isProviderForm = (request: Request): boolean => PROVIDER_FORM_PATH.test(request.path);

/** The paths of the hosted sign-in page and its forms. */
const SIGN_IN_PATH = /^\/sign-in(\/|$)/;

const acceptsForms = ({ path }: Request): boolean =>
  formPaths.has(path) || SIGN_IN_PATH.test(path) || PROVIDER_FORM_PATH.test(path);

const isImport = (request: Request): boolean => importPaths.has(request.path);

/** Returns true if the body is NDJSON, which only the handler reads. */
export const isNdjson = (request: Request): boolean =>
  isImport(request) && ndjsonType.test(request.headers['content-type'] ?? '');

const bodyLimit = (request: Request): number => {
  if (isImport(request)) return isNdjson(request) ? Infinity : IMPORT_LIMIT;
  if (isProviderForm(request)) return PROVIDER_FORM_LIMIT;
  return acceptsForms(request) ? FORM_LIMIT : JSON_LIMIT;
};

/** Maximum length of a header value in an error detail, in characters. */
const MAX_SHOWN_LENGTH = 100;

const unsupportedMediaType = (detail: string): GatehouseError =>
  new GatehouseError('unsupported_media_type', { detail });

/**
 * Rejects bodies that are too large or have an unsupported type. Checks the size before the type (contract, section
 * 2, order of the checks).
 */
function rejectUnsupportedBodies(request: Request, _response: Response, next: NextFunction): void {
  if (!hasBody(request)) return next();
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit(request))
    throw new GatehouseError('payload_too_large');
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw unsupportedMediaType(
      `The Content-Encoding is ${encoding.slice(0, MAX_SHOWN_LENGTH)}. Send the body without one.`,
    );
  const expected = acceptsForms(request) ? formType : jsonType;
  const type = request.headers['content-type'] || 'missing';
  if (!expected.test(type) && !isNdjson(request)) {
    const expectedType = acceptsForms(request) ? 'application/x-www-form-urlencoded' : 'application/json';
    throw unsupportedMediaType(
      `The Content-Type is ${type.slice(0, MAX_SHOWN_LENGTH)}. Send Content-Type: ${expectedType}.`,
    );
  }
  next();
}

async function readBody(request: Request, response: Response, next: NextFunction): Promise<void> {
  if (!hasBody(request)) return next();
  // The rest of the body may remain unread after the response, so the connection cannot be reused.
  if (isNdjson(request)) response.setHeader('Connection', 'close');
  // Parsing 16 MiB for any caller would be too expensive, so an import over 64 KiB is read after
  // authentication.
  else if (!isImport(request) || Number(request.headers['content-length'] ?? Infinity) <= JSON_LIMIT) {
    await readAndParse(request, 0);
  }
  next();
}

/**
 * Reads an import's body after authentication, unless it has already been read. The handler reads NDJSON
 * itself.
 * @throws GatehouseError `overloaded` if there is no memory for it
 */
export async function readDeferredBody(request: Request): Promise<void> {
  if (!hasBody(request) || request.readableEnded) return;
  if (!isNdjson(request)) {
    const length = declaredLength(request);
    memoryOf(request)?.holdBulk(bodyMemory(length));
    return readAndParse(request, length);
  }
  const { res: response } = request;
  const connection = response?.getHeader('Connection');
  // A client that is still sending would lose a response that closes the connection. If there is no memory, the
  // connection therefore stays open, and Node.js reads and discards the rest of the body.
  response?.removeHeader('Connection');
  memoryOf(request)?.holdBulk(STREAM_BYTES);
  if (connection !== undefined) response?.setHeader('Connection', connection);
}

const memoryOf = (request: Request) => (request as GatehouseRequest).memory;

/** Returns a body's declared length, or 0 for a chunked body. */
const declaredLength = ({ headers }: Request): number => Number(headers['content-length'] ?? 0);

/** @param held number of bytes for which memory is already held */
async function readAndParse(request: Request, held: number): Promise<void> {
  const bytes = await readBytes(request, bodyLimit(request), held);
  const onStructure = (structure: JsonStructure): void =>
    memoryOf(request)?.grow(structureMemory(bytes.length, structure));
  if (bytes.length === 0) request.body = undefined;
  else if (acceptsForms(request)) request.body = parseForm(bytes);
  else if (request.path === EVENTS_PATH) {
    request.body = parseStrictJsonOrList(bytes, eventsLimits, onStructure);
    // Custom events are delivered exactly as they were sent (slice-data.ts).
    (request as GatehouseRequest).rawBody = bytes;
  } else request.body = parseStrictJson(bytes, isImport(request) ? importLimits : undefined, onStructure);
}

/**
 * Parses an HTML form.
 * @throws GatehouseError `validation_failed` for a NUL, which PostgreSQL cannot store, and for invalid UTF-8,
 *   because a replacement character would change the password (requirement PW-04)
 */
function parseForm(bytes: Buffer): Record<string, string> {
  const text = bytes.toString();
  const form = Object.fromEntries(new URLSearchParams(text));
  const isInvalid =
    !isUtf8(bytes) || !isWellEscaped(text) || Object.values(form).some((value) => value.includes('\0'));
  if (isInvalid) throw new GatehouseError('validation_failed');
  return form;
}

function isWellEscaped(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads a body. If no memory is held for it, only the received bytes are counted until the body is complete, because a
 * slow client must not hold more memory than it has sent. The memory for parsing is added at the end.
 * @param held number of bytes for which memory is already held, or 0
 * @throws GatehouseError as soon as a limit is exceeded: `payload_too_large`, without reading the rest, or
 *   `overloaded`, after which the rest is discarded, so that the connection can be reused
 */
function readBytes(request: Request, limit: number, held: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Joining the chunks of a large body would hold them in memory twice.
    const bytes = Buffer.allocUnsafe(held);
    const chunks: Buffer[] = [];
    let length = 0;
    const hold = (count: number): void => {
      if (held === 0) memoryOf(request)?.grow(count);
    };
    const rejectWith = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        request.removeAllListeners('data').resume();
        if (error instanceof Error) reject(error);
      }
    };
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        request.pause().removeAllListeners('data');
        return reject(new GatehouseError('payload_too_large'));
      }
      rejectWith(() => {
        hold(chunk.length);
        if (held > 0) chunk.copy(bytes, length - chunk.length);
        else chunks.push(chunk);
      });
    });
    request.once('end', () =>
      rejectWith(() => {
        hold(bodyMemory(length) - length);
        resolve(held > 0 ? bytes.subarray(0, length) : Buffer.concat(chunks));
      }),
    );
    // The client disconnected, possibly during authentication, so the response cannot be delivered.
    const onDisconnect = (): void => reject(new GatehouseError('request_timeout'));
    request.once('error', onDisconnect).once('close', onDisconnect);
    if (request.destroyed) onDisconnect();
  });
}
