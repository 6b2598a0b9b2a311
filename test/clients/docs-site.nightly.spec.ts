import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { run } from '../../scripts/processes.mjs';

const site = 'dist/site';

/** The site's path on GitHub Pages. */
const BASE = '/gatehouse/';

/** Returns the file that a static server sends for a path, or undefined. */
const fileOf = (path: string): string | undefined =>
  [path, `${path}.html`, posix.join(path, 'index.html')].find(
    (name) => existsSync(join(site, name)) && statSync(join(site, name)).isFile(),
  );

const idsIn = (html: string): Set<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));

describe('npm run docs', () => {
  beforeAll(async () => {
    const { code, output } = await run(process.execPath, ['scripts/docs.mjs'], {
      env: { ...process.env, DOCS_BASE: BASE },
    });
    if (code !== 0) throw new Error(output);
  });

  it('writes pages whose links and anchors exist on the site', () => {
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.html'),
    );
    const html = new Map(pages.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
    expect(pages.length).toBeGreaterThan(150);
    const broken = [...html].flatMap(([page, text]) =>
      [...text.matchAll(/<a [^>]*href="([^":]+)"/g)].flatMap(([, href]) => {
        const base = page.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '');
        const { pathname, hash } = new URL(href!.replaceAll('&amp;', '&'), `http://site.test${BASE}${base}`);
        const file = pathname.startsWith(BASE)
          ? fileOf(decodeURIComponent(pathname.slice(BASE.length)))
          : undefined;
        const isFound =
          file !== undefined &&
          (hash === '' || !html.has(file) || idsIn(html.get(file)!).has(decodeURIComponent(hash.slice(1))));
        return isFound ? [] : [`${page}: ${href}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('writes the API reference of this version and of each release', () => {
    const versions = JSON.parse(readFileSync(join(site, 'reference/versions.json'), 'utf8')) as {
      version: string;
      document: string;
    }[];
    expect(versions.map(({ version }) => version)).toEqual(expect.arrayContaining(['Unreleased', '0.1.0']));
    for (const { document } of versions)
      expect(JSON.parse(readFileSync(join(site, 'reference', document), 'utf8'))).toHaveProperty('openapi');
  });

  it('loads nothing from other sites', () => {
    const home = readFileSync(join(site, 'index.html'), 'utf8');
    expect([...home.matchAll(/(?:src|<link[^>]* href)="(https?:[^"]+)"/g)].map(([, url]) => url)).toEqual([]);
  });
});
