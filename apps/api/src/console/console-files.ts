import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, RequestHandler, Response } from 'express';
import { GatehouseError } from '@gatehouse/domain';
import { errorCode, secureBytes } from '@gatehouse/platform';

const BASE = '/console';
const ASSETS = `${BASE}/assets/`;

/** What `npm run build` makes of apps/console: dist/console, beside dist/programs, from which this is run. */
const folder = fileURLToPath(new URL('../console/', import.meta.url));

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What the build lays beside a file, by the encoding that it is. */
const encodings: Record<string, string> = { br: '.br', gzip: '.gz', identity: '' };

/** Requirement CO-02. Mantine writes style sheets, which need the nonce of the page that they are written into. */
export const consolePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

/**
 * Serves the operator console below /console: its files, and its one page at every other address there, which that
 * page reads by itself. Everything else goes on.
 * @throws GatehouseError `not_found` for a file that is not there, `method_not_allowed`
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
    if (path === BASE) return response.redirect(308, `${BASE}/${queryOf(request)}`);
    if (path.startsWith(ASSETS)) return sendAsset(request, response, path.slice(ASSETS.length));
    // No address of a screen has a dot: this is a file that is not there, or a way out of the folder.
    if (path.includes('.')) throw new GatehouseError('not_found');
    await sendPage(response, nonce);
  };
}

const queryOf = ({ originalUrl }: Request): string => /\?.*/.exec(originalUrl)?.[0] ?? '';

/** Its name holds a hash of what is in it, so that it never changes. */
async function sendAsset(request: Request, response: Response, name: string): Promise<void> {
  const type = contentTypes[extname(name)];
  // One name, no path: nothing outside the folder has one.
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

/** The file in the best encoding that the browser takes and the build has made. */
async function bestEncoding(file: string, request: Request): Promise<{ encoding: string; content: Buffer }> {
  const wanted = request.acceptsEncodings(Object.keys(encodings));
  for (const encoding of new Set([wanted || 'identity', 'identity'])) {
    const content = await readCached(`${file}${encodings[encoding]}`);
    if (content) return { encoding, content };
  }
  throw new GatehouseError('not_found');
}

/** Asked for anew each time: a browser that kept it would ask for the files of the version before. */
async function sendPage(response: Response, nonce: string): Promise<void> {
  const page = await readCached(join(folder, 'index.html'));
  if (!page) throw new GatehouseError('not_found');
  response.set({ 'Content-Type': 'text/html; charset=utf-8', 'X-Robots-Tag': 'noindex, nofollow' });
  response.send(page.toString().replace('%STYLE_NONCE%', nonce));
}

/** Null for a file that is not there. */
async function readCached(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
