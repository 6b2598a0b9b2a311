import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, RequestHandler, Response } from 'express';
import { GatehouseError } from '@gatehouse/domain';
import { errorCode, secureBytes } from '@gatehouse/platform';

const BASE = '/console';
const ASSETS = `${BASE}/assets/`;

/** The `npm run build` output for apps/console: dist/console, next to dist/programs, which contains this program. */
const folder = fileURLToPath(new URL('../console/', import.meta.url));

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Suffixes of the compressed files that the build creates, by content encoding. */
const encodings: Record<string, string> = { br: '.br', gzip: '.gz', identity: '' };

/** Requested assets by path. All responses share the content. */
const assets = new Map<string, Promise<Buffer | null>>();

/**
 * Returns the console's content security policy (requirement CO-02). Mantine inserts style sheets, which need the page's nonce.
 */
export const consolePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

/**
 * Returns middleware that serves the operator console below /console: its files, and its single page for every
 * other path, because routing happens in the browser. Passes on all other requests.
 * @throws GatehouseError `not_found` for a missing file, `method_not_allowed`
 */
export function consoleFiles(): RequestHandler {
  return async (request, response, next) => {
    const { path, method } = request;
    if (path !== BASE && !path.startsWith(`${BASE}/`)) return next();
    const nonce = secureBytes(16).toString('base64');
    response.setHeader('Content-Security-Policy', consolePolicy(nonce));
    if (method !== 'GET' && method !== 'HEAD') {
      throw new GatehouseError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    }
    if (path === BASE) return response.redirect(308, `${BASE}/${queryString(request)}`);
    if (path.startsWith(ASSETS)) return sendAsset(request, response, path.slice(ASSETS.length));
    // Screen paths contain no dot: this is a missing file, or an attempt to leave the folder.
    if (path.includes('.')) throw new GatehouseError('not_found');
    await sendPage(response, nonce);
  };
}

const queryString = ({ originalUrl }: Request): string => /\?.*/.exec(originalUrl)?.[0] ?? '';

/** Sends an asset. Its name contains a content hash, so the content never changes. */
async function sendAsset(request: Request, response: Response, name: string): Promise<void> {
  const type = contentTypes[extname(name)];
  // Accepts a file name but no path, so that no file outside the folder can be read.
  if (!type || !/^[\w-]+(\.[\w-]+)+$/.test(name)) throw new GatehouseError('not_found');
  const { encoding, content } = await bestEncoding(join(folder, 'assets', name), request);
  response.set({
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...(encoding === 'identity' ? {} : { 'Content-Encoding': encoding }),
  });
  response.send(content);
}

/** Returns the file in the best encoding that the browser accepts and the build has created. */
async function bestEncoding(file: string, request: Request): Promise<{ encoding: string; content: Buffer }> {
  const preferredEncoding = request.acceptsEncodings(Object.keys(encodings));
  for (const encoding of new Set([preferredEncoding || 'identity', 'identity'])) {
    const content = await readAsset(`${file}${encodings[encoding]}`);
    if (content) return { encoding, content };
  }
  throw new GatehouseError('not_found');
}

/** Returns an asset, or null if it does not exist. */
async function readAsset(file: string): Promise<Buffer | null> {
  const reading = assets.get(file) ?? readIfExists(file);
  assets.set(file, reading);
  const content = await reading.catch(() => null);
  // Missing files are not cached.
  if (!content) assets.delete(file);
  return content ?? reading;
}

/** Sends the page, which is not cached: a cached page would request the previous version's files. */
async function sendPage(response: Response, nonce: string): Promise<void> {
  const page = await readIfExists(join(folder, 'index.html'));
  if (!page) throw new GatehouseError('not_found');
  response.set({
    'Content-Type': 'text/html; charset=utf-8',
    'X-Robots-Tag': 'noindex, nofollow',
    // Pages from other origins receive no reference to the console's window, whether they open the console or
    // are opened by it.
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
  response.send(page.toString().replace('%STYLE_NONCE%', nonce));
}

/** Returns a file's content, or null if it does not exist. */
async function readIfExists(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
