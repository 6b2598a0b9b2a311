import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { escapeHtml } from '#platform';

const style = `
:root { color-scheme: light dark; --text: #1b1f24; --back: #f5f6f8; --card: #ffffff; --accent: #1d4ed8; --on-accent: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --back: #14161a; --card: #1f2329; --accent: #8ab4f8; --on-accent: #10131a; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
main { width: 100%; max-width: 26rem; padding: 2rem; border-radius: .75rem; background: var(--card); box-shadow: 0 1px 4px rgb(0 0 0 / .15); }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; overflow-wrap: anywhere; }
p { margin: 0 0 1.25rem; overflow-wrap: anywhere; }
p:last-child { margin: 0; }
button, a.button { display: block; width: 100%; padding: .75rem 1rem; border: 0; border-radius: .5rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; color: var(--on-accent); background: var(--accent); }
button:focus-visible, a.button:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface PageContent {
  title: string;
  text: string;
  /** The page's one button, as HTML made by `postButton` or `linkButton`. */
  button?: string;
}

/** Sends a hosted page: no script, no outside asset, a content policy of its own (requirement HD-01). */
export function sendPage(
  response: Response,
  status: number,
  { title, text, button = '' }: PageContent,
): void {
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Robots-Tag': 'noindex',
  }).send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${button}</main></body>
</html>
`);
}

/** A button that POSTs the fields to the path. */
export function postButton(path: string, label: string, fields: Record<string, string>): string {
  const inputs = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('');
  return `<form method="post" action="${path}">${inputs}<button type="submit">${escapeHtml(label)}</button></form>`;
}

export const linkButton = (href: string, label: string): string =>
  `<a class="button" href="${escapeHtml(href)}" rel="noreferrer">${escapeHtml(label)}</a>`;
