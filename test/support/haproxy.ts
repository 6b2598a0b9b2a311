import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './server-process.mjs';

/** The path of HAProxy, or undefined if it is not installed. */
const program = ['/usr/sbin/haproxy', '/usr/bin/haproxy', '/usr/local/bin/haproxy'].find((path) =>
  existsSync(path),
);

/** HAProxy with the configuration of ops/haproxy, in front of apis on this machine. */
export class HaProxy {
  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static readonly isInstalled = program !== undefined;

  /** @param ports of the apis */
  static async start(ports: number[]): Promise<HaProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-haproxy-'));
    const port = await freePort();
    await writeFile(join(folder, 'haproxy.cfg'), await readConfiguration(port, ports));
    const child = spawn(program!, ['-db', '-f', 'haproxy.cfg'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const proxy = new HaProxy(`http://127.0.0.1:${port}`, folder, child);
    await eventually('HAProxy to forward requests', async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy ended with code ${child.exitCode}`);
      const response = await fetch(`${proxy.url}/livez`).catch(() => null);
      return response?.status === 200;
    });
    return proxy;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Returns ops/haproxy/haproxy.cfg with other addresses, and without TLS. */
async function readConfiguration(port: number, apis: number[]): Promise<string> {
  const text = await readFile(join(process.cwd(), 'ops/haproxy/haproxy.cfg'), 'utf8');
  const servers = apis.map((api, index) => `  server api-${index + 1} 127.0.0.1:${api}`);
  return text
    .replace(/^  bind :80$/m, `  bind 127.0.0.1:${port}`)
    .replace(/^  (bind :443|http-request redirect) .*\n/gm, '')
    .replace(/(^  server .*\n?)+/m, `${servers.join('\n')}\n`);
}
