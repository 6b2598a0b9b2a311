import { isUtf8 } from 'node:buffer';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { GatehouseError } from '@gatehouse/domain';
import { parseStrictJson, type JsonLimits } from './strict-json.js';

const JSON_LIMIT = 64 * 1024;
const IMPORT_LIMIT = 16 * 2 ** 20;
const FORM_LIMIT = 4 * 1024;

/** Paths of the hosted pages: the only ones that take HTML forms. */
const formPaths = new Set(['/verify-email', '/reset-password', '/accept-invite', '/confirm-email-change']);

/** The only path that takes more than 64 KiB of JSON, or lines without an end (contract, section 2). */
const IMPORT_PATH = '/api/v1/customers/import';

/** A list of 1,000 records, each with two objects of 50 keys; the list and its body are two levels more. */
const importLimits: JsonLimits = { name: 'body', depth: 22, keys: 200_000 };

const ndjsonType = /^application\/x-ndjson\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const formType = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Reads bodies in place of Express's own parsers, which accept UTF-16, invalid UTF-8 and compressed bodies,
 * turn a missing body into `{}`, and read a body that is too large to its end before they refuse it.
 * A request without a body leaves `request.body` undefined.
 */
export function bodyReader(): RequestHandler[] {
  return [rejectUnsupportedTypes, readBody];
}

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

const acceptsForms = (request: Request): boolean => formPaths.has(request.path);

const isImport = (request: Request): boolean => request.path === IMPORT_PATH;

/** Whether the body is lines, which nobody has read yet. */
export const isNdjson = (request: Request): boolean =>
  isImport(request) && ndjsonType.test(request.headers['content-type'] ?? '');

const bodyLimit = (request: Request): number => {
  if (isImport(request)) return isNdjson(request) ? Infinity : IMPORT_LIMIT;
  return acceptsForms(request) ? FORM_LIMIT : JSON_LIMIT;
};

/** Characters of a header value in an error; the rest is not shown. */
const MAX_SHOWN_LENGTH = 100;

const unsupportedMediaType = (detail: string): GatehouseError =>
  new GatehouseError('unsupported_media_type', { detail });

/** The size comes before the type: contract, section 2, order of the checks. */
function rejectUnsupportedTypes(request: Request, _response: Response, next: NextFunction): void {
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
    const wanted = acceptsForms(request) ? 'application/x-www-form-urlencoded' : 'application/json';
    throw unsupportedMediaType(
      `The Content-Type is ${type.slice(0, MAX_SHOWN_LENGTH)}. Send Content-Type: ${wanted}.`,
    );
  }
  next();
}

async function readBody(request: Request, response: Response, next: NextFunction): Promise<void> {
  if (!hasBody(request)) return next();
  // Whatever is answered, nobody reads what is still to come.
  if (isNdjson(request)) response.setHeader('Connection', 'close');
  // 16 MiB are too much to parse for anybody who asks: more than elsewhere is read once its sender is known.
  else if (!isImport(request) || Number(request.headers['content-length'] ?? Infinity) <= JSON_LIMIT)
    await readAndParse(request);
  next();
}

/** Reads the body of an import whose sender is known by now, unless it is lines or has been read. */
export async function readDeferredBody(request: Request): Promise<void> {
  if (hasBody(request) && !isNdjson(request) && !request.readableEnded) await readAndParse(request);
}

async function readAndParse(request: Request): Promise<void> {
  const bytes = await readBytes(request, bodyLimit(request));
  if (bytes.length === 0) request.body = undefined;
  else if (acceptsForms(request)) request.body = parseForm(bytes);
  else request.body = parseStrictJson(bytes, isImport(request) ? importLimits : undefined);
}

/**
 * @throws GatehouseError `validation_failed` for a NUL, which PostgreSQL could not store either, and for what is no
 *   UTF-8: a replacement character in its place would make another password of it (requirement PW-04)
 */
function parseForm(bytes: Buffer): Record<string, string> {
  const text = bytes.toString();
  const form = Object.fromEntries(new URLSearchParams(text));
  const isFaulty =
    !isUtf8(bytes) || !isWellEscaped(text) || Object.values(form).some((value) => value.includes('\0'));
  if (isFaulty) throw new GatehouseError('validation_failed');
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

/** @throws GatehouseError `payload_too_large` as soon as the limit is passed, whatever else may come */
function readBytes(request: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        request.pause().removeAllListeners('data');
        reject(new GatehouseError('payload_too_large'));
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    // The client went away in the middle; nobody reads the answer.
    request.once('error', () => reject(new GatehouseError('request_timeout')));
  });
}
