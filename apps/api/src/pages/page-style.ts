import { createHash } from 'node:crypto';
import type { Brand } from '@gatehouse/domain';

/** Maximum number of cached styles, one per project color. The cache is cleared when it is full. */
const MAX_CACHED = 100;

export interface PageStyle {
  css: string;
  /** Hash of `css` in the format of a content security policy. */
  hash: string;
}

const cache = new Map<string, PageStyle>();

/** Returns the style of a hosted page in the project's color. */
export function pageStyle({ color, textColor }: Brand): PageStyle {
  const cached = cache.get(color);
  if (cached) return cached;
  const style = hashedStyle(buildCss(color, textColor));
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(color, style);
  return style;
}

/** Returns a style together with the hash that allows it in a content security policy. */
export const hashedStyle = (css: string): PageStyle => ({
  css,
  hash: `sha256-${createHash('sha256').update(css).digest('base64')}`,
});

/** Colors of every page, in the light and the dark theme. */
export const palette = `
:root { color-scheme: light dark; --text: #1b1f24; --background: #f5f6f8; --card: #ffffff; --line: #6f7782; --quiet: #535b66; --alert: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --background: #14161a; --card: #1f2329; --line: #868e99; --quiet: #b4bac3; --alert: #ff9d94; } }
* { box-sizing: border-box; }
`;

/**
 * Returns the CSS of a hosted page. The button's border has the color of its text, so that the edge stays visible if
 * the project color is similar to the background. Logos have a white background in the dark theme, because most are
 * designed for one and would otherwise be invisible.
 */
const buildCss = (color: string, textColor: string): string => `
:root { --accent: ${color}; --on-accent: ${textColor}; }
${palette}
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--background); }
main { width: 100%; max-width: 26rem; padding: clamp(1.25rem, 6vw, 2rem); border-radius: .75rem; background: var(--card); box-shadow: 0 1px 4px rgb(0 0 0 / .15); overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; line-height: 1.3; }
p { margin: 0 0 1.25rem; }
main > :last-child, form > :last-child { margin-bottom: 0; }
.brand { display: flex; align-items: center; gap: .75rem; margin: 0 0 1.5rem; font-weight: 600; }
.brand img { display: block; height: 2.5rem; max-width: 60%; object-fit: contain; }
@media (prefers-color-scheme: dark) { .brand img { height: 3rem; padding: .25rem; border-radius: .375rem; background: #ffffff; } }
label { display: block; margin: 0 0 .35rem; font-weight: 600; }
input { display: block; width: 100%; padding: .7rem .8rem; border: 1px solid var(--line); border-radius: .5rem; font: inherit; color: inherit; background: transparent; }
input[aria-invalid] { border: 2px solid var(--alert); }
.hint { margin: .35rem 0 1.25rem; font-size: .875rem; color: var(--quiet); }
a { color: inherit; }
.more { margin: 1.25rem 0 0; font-size: .875rem; text-align: center; }
.error { margin: .35rem 0 0; font-weight: 600; color: var(--alert); }
button, a.button { display: block; width: 100%; padding: .75rem 1rem; border: 1px solid var(--on-accent); border-radius: .5rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; color: var(--on-accent); background: var(--accent); }
input:focus-visible, button:focus-visible, a:focus-visible, summary:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
h1 + form { margin-top: 1.25rem; }
button.secondary, a.secondary { font-weight: 500; border-color: var(--line); color: var(--text); background: transparent; }
button:disabled { opacity: .6; cursor: default; }
.problem { margin: 0 0 1.25rem; padding: .7rem .8rem; border: 1px solid var(--alert); border-left-width: 4px; border-radius: .5rem; font-weight: 600; color: var(--alert); }
.field { margin: 0 0 1rem; }
.field .hint { margin-bottom: 0; }
.forgot { margin: -.5rem 0 1rem; font-size: .875rem; text-align: right; }
a.button + form, form + form, form + .passkey, .passkey + *, button + button, .others > * + * { margin-top: .75rem; }
.divider { display: flex; align-items: center; gap: .75rem; margin: 1.25rem 0; font-size: .875rem; color: var(--quiet); }
.divider::before, .divider::after { content: ""; flex: 1; border-top: 1px solid var(--line); opacity: .5; }
.others:not(:has(> a, > .passkey:not([hidden]))) { display: none; }
details { margin-top: 1.25rem; }
summary { margin: 0 0 .75rem; font-size: .875rem; cursor: pointer; text-decoration: underline; }
code { font-family: ui-monospace, monospace; font-size: .95em; }
.qr { width: 12rem; margin: 0 auto 1rem; }
.qr svg { display: block; width: 100%; border-radius: .5rem; }
.codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.codes li { padding: .4rem; border: 1px solid var(--line); border-radius: .5rem; text-align: center; }
[hidden] { display: none; }
`;
