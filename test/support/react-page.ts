import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { run } from '../../scripts/processes.mjs';
import type { SocialProject } from './social-sign-in.js';
import type { TestInstance } from './test-instance.js';

/** The content of a path on the site. */
export interface PageConfig {
  /** The `@gatehouse/react` component for signed-out customers. */
  signedOut?: string;
  /** The component for signed-in customers, below their email address. */
  signedIn?: string;
  props?: object;
  appearance?: object;
  /** The name of a localization that the package exports. */
  localization?: string;
}

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };

/** A site with `@gatehouse/react` components and a strict content security policy. */
export class ReactPage {
  private client: object = {};
  private policy = '';

  private constructor(
    private readonly server: Server,
    private readonly folder: string,
    private readonly pages: Record<string, PageConfig>,
  ) {}

  /** Builds the pages and serves them. @param pages each path's content */
  static async start(pages: Record<string, PageConfig>): Promise<ReactPage> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-react-page-'));
    const { code, output } = await run(process.execPath, ['packages/react/test-page/build.mjs', folder], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    if (code !== 0) throw new Error(output);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const page = new ReactPage(server, folder, pages);
    server.on('request', (request, response) => {
      const path = new URL(request.url!, 'http://site').pathname;
      void page.respond(path).then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type, 'content-security-policy': page.policy });
        response.end(body);
      });
    });
    return page;
  }

  /** The site's origin. Browsers do not support passkeys on IP addresses. */
  get origin(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** The URLs of all paths. */
  get urls(): string[] {
    return Object.keys(this.pages).map((path) => this.origin + path);
  }

  /** Configures the pages for a project. */
  use({ baseUrl }: TestInstance, { id, publishableKey }: SocialProject): void {
    this.client = { url: baseUrl, publishableKey, projectId: id };
    this.policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src ${baseUrl}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async respond(path: string): Promise<{ status: number; type: string; body: string | Buffer }> {
    const config = this.pages[path];
    if (config) return { status: 200, type: 'text/html; charset=utf-8', body: this.html(config) };
    const type = TYPES[extname(path)];
    if (!type) return { status: 204, type: 'text/plain', body: '' };
    return { status: 200, type, body: await readFile(join(this.folder, path)) };
  }

  private html(config: PageConfig): string {
    const json = JSON.stringify({ client: this.client, ...config }).replaceAll('<', '\\u003c');
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="stylesheet" href="/main.css"><script type="application/json" id="config">${json}</script>
      <script type="module" src="/main.js"></script></head>
      <body><main><h1>Shop</h1><div id="root"></div></main></body></html>`;
  }
}
