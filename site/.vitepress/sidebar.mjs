import fs from 'node:fs';
import path from 'node:path';
import { toRoute } from './document-links.mjs';

/**
 * Returns the sidebar: the sections of docs/README.md, with the titles of the documents that they link to.
 * @param {string} root the repository folder
 */
export function readSidebar(root) {
  const seen = new Set();
  const index = fs.readFileSync(path.join(root, 'docs/README.md'), 'utf8');
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const items = [...section.matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)]
        .map(([, target]) => path.posix.join('docs', target))
        .filter((file) => !seen.has(file) && seen.add(file))
        .map((file) => ({ text: readTitle(path.join(root, file)), link: toRoute(file) }));
      return { text: section.split('\n')[0], collapsed: false, items };
    })
    .filter(({ items }) => items.length > 0);
}

const readTitle = (file) => /^# (.+)$/m.exec(fs.readFileSync(file, 'utf8'))[1].replaceAll('`', '');
