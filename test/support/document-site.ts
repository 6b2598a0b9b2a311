import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DocumentSiteOptions {
  /** The documents' code blocks by file name. Each block is a module on the site. */
  blocks: ReadonlyMap<string, string>;
  /** The other origins that the pages' content security policy allows. */
  connectTo: string[];
  /** Every page's markup. */
  body: string;
}

/** A website with the documents' code blocks and the built package @gatehouse/js. All other paths are pages. */
export class DocumentSite {
  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  /** @param configure returns the options for the site's origin */
  static async start(configure: (origin: string) => DocumentSiteOptions): Promise<DocumentSite> {
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const options = configure(origin);
    const policy = `default-src 'none'; script-src 'self' 'nonce-map'; connect-src 'self' ${options.connectTo.join(' ')}`;
    server.on('request', (request, response) => {
      void readScript(options, new URL(request.url!, origin).pathname.slice(1)).then((script) => {
        response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
        response.setHeader('content-security-policy', policy);
        response.end(script ?? page(options));
      });
    });
    return new DocumentSite(server, origin);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Returns a code block or a package file, or undefined if the path belongs to a page. */
async function readScript({ blocks }: DocumentSiteOptions, path: string): Promise<string | undefined> {
  if (!path.startsWith('sdk/')) return blocks.get(path);
  return readFile(new URL(`../../packages/js/dist/${path.slice(4)}`, import.meta.url), 'utf8');
}

const page = ({ body }: DocumentSiteOptions): string =>
  `<!doctype html><title>shop</title>
   <script type=importmap nonce=map>{"imports": {"@gatehouse/js": "/sdk/index.js"}}</script>${body}`;
