import path from 'node:path';

/**
 * Returns the page for a document. docs/webhooks.md is at /webhooks, docs/adr/README.md is at /adr/, and the root
 * README.md is at /gatehouse.
 * @param {string} file path relative to the repository folder
 */
export function toPage(file) {
  if (file === 'README.md') return 'gatehouse.md';
  const page = file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
  return page.includes('/') ? page : page.toLowerCase();
}

/**
 * Returns the route at which a browser requests the page for a document.
 * @param {string} file path of the document relative to the repository folder
 */
export const toRoute = (file) =>
  `/${toPage(file)
    .replace(/(^|\/)index\.md$/, '$1')
    .replace(/\.md$/, '')}`;

/**
 * Rewrites links between documents to links between their pages. Links to other files, such as sources and
 * configuration, become text, because the site does not contain these files.
 * @param {import('markdown-it')} md
 * @param {string} root
 * @param {string[]} documents paths of the documents, relative to the repository folder
 */
export function documentLinks(md, root, documents) {
  md.core.ruler.push('document-links', ({ env, tokens }) => {
    const folder = path.dirname(path.relative(root, env.realPath ?? env.path));
    for (const { children } of tokens) if (children) changeLinks(children, (href) => resolve(folder, href));
  });

  function resolve(folder, href) {
    if (/^[a-z]+:|^#|^\//.test(href)) return href;
    const [target, anchor] = href.split('#');
    const file = path.posix.join(folder, decodeURI(target)).replace(/\/$/, '');
    const document = [file, `${file}/README.md`].find((each) => documents.includes(each));
    if (document) return `${toRoute(document)}${anchor ? `#${anchor}` : ''}`;
    return /^docs\/.*\.json$/.test(file) ? `/reference/${path.posix.basename(file)}` : null;
  }
}

/** Replaces the target of each link. If the new target is null, keeps only the content of the link. */
function changeLinks(tokens, replace) {
  const removed = [];
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = replace(token.attrGet('href'));
      removed.push(href === null);
      if (href !== null) token.attrSet('href', href);
    }
    const isRemoved = token.type.startsWith('link_') && removed.at(-1);
    if (token.type === 'link_close') removed.pop();
    if (isRemoved) Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '', attrs: null });
  }
}
