import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeApiReference } from './api-reference.mjs';
import { documentLinks, toPage } from './document-links.mjs';
import { readSidebar } from './sidebar.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The documents on the site. Other documents, such as those in test/, are available only in the repository. */
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
  srcExclude: documentsIn('.').filter((file) => !PAGES.includes(file)),
  outDir: '../dist/site',
  cacheDir: '../node_modules/.cache/site',
  rewrites: Object.fromEntries(PAGES.map((file) => [file, toPage(file)])),
  // The path where the site is published, such as /gatehouse/.
  base: process.env.DOCS_BASE ?? '/',
  cleanUrls: true,
  // VitePress would report links to the API reference as dead. test/clients/docs-site.nightly.spec.ts checks all links.
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
      // Ranks guides above decision records. A document id is its path, including the base.
      options: {
        miniSearch: { searchOptions: { boostDocument: (id) => (id.includes('/adr/') ? 0.2 : 1) } },
      },
    },
  },
  // An empty icon, so that browsers do not request /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  vite: {
    // Without this, Vite would load the vite.config.mjs of the programs, because the source folder is the repository.
    configFile: false,
    publicDir: false,
    // Pages import vue, which Vite cannot resolve from their folders: it is installed only in site/node_modules.
    resolve: {
      alias: [
        { find: /^vue$/, replacement: vue('dist/vue.runtime.esm-bundler.js') },
        { find: 'vue/server-renderer', replacement: vue('server-renderer/index.mjs') },
      ],
    },
  },
  buildEnd: ({ outDir }) => writeApiReference(root, path.join(outDir, 'reference')),
};

/** Returns the same anchor for a heading as GitHub, so that links work in both places. */
function githubSlug(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Keeps inline code such as `{{email}}` unchanged: pages are Vue templates, which would evaluate it. */
function literalCode(md) {
  md.renderer.rules.code_inline = (tokens, index, options, env, renderer) =>
    `<code v-pre${renderer.renderAttrs(tokens[index])}>${md.utils.escapeHtml(tokens[index].content)}</code>`;
}

/** Returns the paths of the Markdown files in a folder, relative to the repository folder. */
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
