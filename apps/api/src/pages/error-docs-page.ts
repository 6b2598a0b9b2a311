import { STATUS_CODES } from 'node:http';
import { errorCatalog, type ErrorEntry } from '@gatehouse/domain';
import { escapeHtml } from '@gatehouse/platform';
import { palette, hashedStyle } from './page-style.js';

type ListedError = ErrorEntry & { code: string };

const listedErrors: ListedError[] = Object.entries(errorCatalog).map(([code, entry]) => ({ code, ...entry }));
const errorsByStatus = [...new Set(listedErrors.map(({ status }) => status))]
  .sort((one, other) => one - other)
  .map((status) => ({ status, errors: listedErrors.filter((error) => error.status === status) }));

const style = hashedStyle(`${palette}
body { margin: 0; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--background); }
main { max-width: 48rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.125rem; color: var(--quiet); }
h3 { margin: 0; font-size: 1.0625rem; line-height: 1.4; }
p { margin: 0 0 1rem; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9375em; }
a { color: inherit; text-decoration-color: var(--line); text-underline-offset: .4em; }
a:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
nav, section { padding: 1rem 1.25rem; border-radius: .75rem; background: var(--card); box-shadow: 0 1px 4px rgb(0 0 0 / .15); }
nav { display: grid; grid-template-columns: 3rem 1fr; gap: .5rem .75rem; }
nav strong { color: var(--quiet); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; list-style: none; }
section { margin: 0 0 1rem; scroll-margin-top: 1rem; }
section:target { outline: 3px solid var(--line); }
section a { text-decoration: none; }
section a:hover { text-decoration: underline; }
.title { margin: .125rem 0 .75rem; color: var(--quiet); }
dl { display: grid; grid-template-columns: 4rem 1fr; gap: .375rem .75rem; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; }
@media (max-width: 30rem) { nav, dl { grid-template-columns: 1fr; gap: .125rem; } nav ul, dd { margin-bottom: .5rem; } }
`);

/** Content security policy of the page. It allows only the inline style. */
export const errorDocsPolicy = [
  "default-src 'none'",
  `style-src '${style.hash}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const index = ({ status, errors }: (typeof errorsByStatus)[number]): string =>
  `<strong>${status}</strong><ul>${errors.map(({ code }) => `<li><a href="#${code}"><code>${code}</code></a></li>`).join('')}</ul>`;

const section = ({ code, status, title, cause, remedy }: ListedError): string => `<section id="${code}">
<h3><a href="#${code}"><code>${code}</code></a></h3>
<p class="title">${status} · ${escapeHtml(title)}</p>
<dl><dt>Cause</dt><dd>${escapeHtml(cause)}</dd><dt>Remedy</dt><dd>${escapeHtml(remedy)}</dd></dl>
</section>`;

const group = ({ status, errors }: (typeof errorsByStatus)[number]): string =>
  `<h2>${status} ${STATUS_CODES[status]}</h2>\n${errors.map(section).join('\n')}`;

/**
 * Page that describes every code in the error catalog, each with an anchor. It uses no scripts and no external assets
 * (HD-01).
 */
export const errorDocsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Gatehouse</title>
<style>${style.css}</style>
</head>
<body><main>
<h1>Errors</h1>
<p>Every error response is an <code>application/problem+json</code> document (RFC 9457), and its <code>type</code> links to
this page. Its <code>code</code> is always one of the codes below. If you report an error, include the
<code>requestId</code>: the log contains the same id.</p>
<nav aria-label="Codes by status">${errorsByStatus.map(index).join('\n')}</nav>
${errorsByStatus.map(group).join('\n')}
</main></body>
</html>
`;
