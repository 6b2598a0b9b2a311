import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChildServer, findProgram } from './child-server.js';
import { freePort } from './server-process.mjs';

/** The path to HAProxy, or undefined if it is not installed. */
const program = findProgram('haproxy');

/** HAProxy with the configuration from ops/haproxy, in front of api processes on this machine. */
export class HaProxy extends ChildServer {
  static readonly isInstalled = program !== undefined;

  private constructor(
    readonly url: string,
    folder: string,
  ) {
    super(folder, [program!, '-db', '-f', 'haproxy.cfg'], ['ignore', 'ignore', 'inherit']);
  }

  /** @param ports the api ports */
  static async start(ports: number[]): Promise<HaProxy> {
    const folder = await this.createFolder('haproxy');
    const port = await freePort();
    await writeFile(join(folder, 'haproxy.cfg'), await readConfiguration(port, ports));
    const url = `http://127.0.0.1:${port}`;
    return new HaProxy(url, folder).waitUntil(async () => {
      const response = await fetch(`${url}/livez`).catch(() => null);
      return response?.status === 200;
    });
  }
}

/** Returns ops/haproxy/haproxy.cfg with the addresses of the test and without TLS. */
async function readConfiguration(port: number, apis: number[]): Promise<string> {
  const text = await readFile(join(process.cwd(), 'ops/haproxy/haproxy.cfg'), 'utf8');
  const servers = apis.map((api, index) => `  server api-${index + 1} 127.0.0.1:${api}`);
  return text
    .replace(/^  bind :80$/m, `  bind 127.0.0.1:${port}`)
    .replace(/^  (bind :443|http-request redirect) .*\n/gm, '')
    .replace(/(^  server .*\n?)+/m, `${servers.join('\n')}\n`);
}
