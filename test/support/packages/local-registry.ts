import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** A registry with the packages, in the same versions, that `npm ci` has installed in the repository. */
export interface LocalRegistry {
  url: string;
  close(): void;
}

/** Options that leave out source maps, and the parts of Next.js that the packages and their types do not import. */
const EXCLUDED = [
  ...['node_modules', '*.map', 'next/dist/docs', 'next/dist/esm', 'next/dist/compiled/next-server'],
  ...['next/dist/compiled/*-experimental', 'next/dist/compiled/next-devtools', 'next/dist/compiled/webpack'],
].map((pattern) => `--exclude=${pattern}`);

/** Returns all installed package folders by name and version. */
function listInstalled(): Map<string, Map<string, string>> {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { link?: boolean; version?: string }>;
  };
  const installed = new Map<string, Map<string, string>>();
  for (const [folder, { link, version }] of Object.entries(packages)) {
    const name = folder.split('node_modules/').at(-1)!;
    // Optional packages for other platforms are not installed.
    if (!folder.includes('node_modules/') || link || !existsSync(folder)) continue;
    installed.set(name, (installed.get(name) ?? new Map<string, string>()).set(version!, folder));
  }
  return installed;
}

/** Starts a registry on a free port of 127.0.0.1. */
export async function startLocalRegistry(): Promise<LocalRegistry> {
  const installed = listInstalled();
  let url = '';
  const sendManifests = (name: string, response: ServerResponse): void => {
    const versions = [...(installed.get(name) ?? [])].map(([version, folder]) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
      const query = new URLSearchParams({ name, version });
      return [version, { ...manifest, version, dist: { tarball: `${url}/-/tarball.tgz?${query}` } }] as const;
    });
    response.writeHead(versions.length > 0 ? 200 : 404, { 'content-type': 'application/json' });
    const latest = versions.at(-1)?.[0];
    response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    if (pathname !== '/-/tarball.tgz') {
      sendManifests(decodeURIComponent(pathname.slice(1)), response);
      return;
    }
    const folder = installed.get(searchParams.get('name')!)!.get(searchParams.get('version')!)!;
    // npm ignores the name of the first folder in a tarball, and also reads uncompressed tarballs.
    const args = ['-c', ...EXCLUDED, '-C', dirname(folder), basename(folder)];
    spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
