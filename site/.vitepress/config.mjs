import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeApiReference } from './api-reference.mjs';
import { documentLinks, pageOf } from './document-links.mjs';
import { readSidebar } from './sidebar.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The documents on the site: those of docs/, and the ones to which they link. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['apps', 'docs', 'examples', 'ops', 'packages'].flatMap(documentsIn),
];

const vue = (file) => path.join(root, 'site/node_modules/vue', file);

/** @type {import('vitepress').UserConfig} */
export default {
  title: 'Gatehouse',
  description: 'Customer authentication and identity with webhook delivery you can trust',
  lang: 'en-US',
  srcDir: '..',
  srcExclude: ['**/node_modules/**', ...documentsIn('.').filter((file) => !PAGES.includes(file))],
  outDir: '../dist/site',
  cacheDir: '../node_modules/.cache/site',
  rewrites: Object.fromEntries(PAGES.map((file) => [file, pageOf(file)])),
  // The path below which the site is served, such as /gatehouse/.
  base: process.env.DOCS_BASE ?? '/',
  cleanUrls: true,
  lastUpdated: false,
  // `npm run files` checks the links of all documents.
  ignoreDeadLinks: true,
  markdown: {
    anchor: { slugify: githubSlug },
    config: (md) => {
      documentLinks(md, root, PAGES);
      literalCode(md);
    },
  },
  themeConfig: {
    nav: [
      { text: 'Documentation', link: '/' },
      { text: 'API reference', link: '/reference/', target: '_self' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: readSidebar(root),
    outline: 'deep',
    search: {
      provider: 'local',
      // Guides rank before decision records. An id is a path that begins with the base.
      options: {
        miniSearch: { searchOptions: { boostDocument: (id) => (id.includes('/adr/') ? 0.2 : 1) } },
      },
    },
  },
  // Searches, the theme and the pages need nothing from other sites.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Not the configuration of the programs, which is in the same folder as the documents.
  vite: {
    configFile: false,
    publicDir: false,
    // The documents are outside of the folder with the packages.
    resolve: {
      alias: [
        { find: /^vue$/, replacement: vue('dist/vue.runtime.esm-bundler.js') },
        { find: 'vue/server-renderer', replacement: vue('server-renderer/index.mjs') },
      ],
    },
  },
  buildEnd: ({ outDir }) => writeApiReference(root, path.join(outDir, 'reference')),
};

/** Returns the anchor of a heading as GitHub does, so that links work in both places. */
function githubSlug(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Keeps code such as `{{email}}` as it is: the pages are templates of Vue. */
function literalCode(md) {
  md.renderer.rules.code_inline = (tokens, index, options, env, renderer) =>
    `<code v-pre${renderer.renderAttrs(tokens[index])}>${md.utils.escapeHtml(tokens[index].content)}</code>`;
}

/** Returns the Markdown files in a folder of the repository, by their path from its root. */
function documentsIn(folder) {
  return fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules' && name !== 'dist')
    .flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) return documentsIn(file);
      return file.endsWith('.md') ? [file] : [];
    });
}
