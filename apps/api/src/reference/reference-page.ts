/**
 * Content security policy of the reference: no external assets, nothing inline, no framing (requirement HD-01). The
 * viewer's icons require `data:`.
 */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** HTML of the reference. Links are relative, because a proxy may serve the installation under a path. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Gatehouse</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/reference.css">
<script defer src="docs/swagger-ui-bundle.js"></script>
<script defer src="docs/reference.js"></script>
</head>
<body>
<nav><b>Gatehouse</b> <a href="docs/errors">Errors</a> <a href="openapi.json">openapi.json</a></nav>
<main id="reference"><noscript><p>This page needs JavaScript. <a href="openapi.json">openapi.json</a> contains the same reference.</p></noscript></main>
</body>
</html>
`;

/**
 * Script that starts the viewer. The viewer has a light and a dark theme, but the embedding page must select one. Keys
 * are discarded when the page is closed. Only the public API is included, because no key can access the console routes.
 */
export const referenceScript = `'use strict';
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const show = (spec) => SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
fetch(new URL('openapi.json', document.baseURI)).then((response) => response.json()).then(show);
`;

/** Styles for the page, and for the parts of the viewer that differ from the other Gatehouse pages. */
export const referenceStyle = `
:root { color-scheme: light dark; --text: #1b1f24; --background: #f5f6f8; --card: #ffffff; --line: #d5d9df; --accent: #1d4ed8; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --background: #14161a; --card: #1f2329; --line: #3a4049; --accent: #8ab4ff; } }
* { box-sizing: border-box; }
html, html.dark-mode { background: var(--background); }
body { margin: 0; font: 1rem/1.5 sans-serif; color: var(--text); background: var(--background); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: .85rem max(1.25rem, calc((100% - 75rem) / 2)); border-bottom: 1px solid var(--line); background: var(--card); }
nav a { color: var(--accent); text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
main { max-width: 77.5rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
html.dark-mode .swagger-ui, html.dark-mode .swagger-ui .wrapper { background: none; }
.swagger-ui .wrapper { max-width: none; padding: 0; }
.swagger-ui .info { margin: 1rem 0 2rem; }
.swagger-ui .scheme-container, html.dark-mode .swagger-ui .scheme-container { margin: 0 0 1rem; padding: 0 0 1rem; background: none; box-shadow: none; }
.swagger-ui .opblock-tag small { padding: 0 .75rem; }
`;
