import type { Response } from 'express';
import { parseValidUrl, resolveBrand, type Brand } from '@gatehouse/domain';
import { escapeHtml, type BuiltInLanguage } from '@gatehouse/platform';
import { PAGE_SCRIPT_PATH } from './page-script.js';
import { pageStyle } from './page-style.js';

export interface PageContent {
  /** The language of the texts, as a BCP 47 tag. */
  language: BuiltInLanguage;
  /** The page's only heading. */
  title: string;
  /** Default: none. */
  text?: string;
  /** The problem with the submitted form. It is announced, and inputs refer to it with `aria-describedby="problem"`. */
  problem?: string | null;
  /** Additional text in small print. */
  hint?: string;
  /** The page's action, as HTML from `postButton`, `passwordForm`, `linkButton` and `textLink`. */
  button?: string;
  /** Path that the browser opens at once. Default: none. */
  nextPath?: string;
  /** URL that the response to the form redirects to. Default: none. */
  redirectUrl?: string;
  /** The page's branding. null or absent: none, for example for an unknown token. */
  brand?: Brand | null;
}

/**
 * The header's policy, `no-referrer`, would make browsers send `Origin: null` with the page's forms. The origin alone
 * contains no token.
 */
const ORIGIN_ONLY = '<meta name="referrer" content="strict-origin">';

const defaultBrand = resolveBrand('');

/**
 * Sends a hosted page with its own content security policy: no script except the script for the hosted pages, where
 * there is a form, and only the project logo as an asset from another origin (HD-01).
 */
export function sendPage(
  response: Response,
  status: number,
  { language, title, text, problem, hint, button = '', nextPath, redirectUrl, brand }: PageContent,
): void {
  const { css, hash } = pageStyle(brand ?? defaultBrand);
  const hasForm = button.includes('<form ');
  const policy = [
    "default-src 'none'",
    `style-src '${hash}'`,
    ...(hasForm ? ["script-src 'self'", "connect-src 'self'"] : []),
    ...(brand?.logoUrl ? [`img-src ${parseValidUrl(brand.logoUrl).origin}`] : []),
    // Chromium applies the directive to redirects too.
    `form-action 'self'${redirectUrl ? ` ${redirectSource(redirectUrl)}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Security-Policy': policy.join('; '),
    'X-Robots-Tag': 'noindex, nofollow',
  }).send(`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
${ORIGIN_ONLY}
<title>${escapeHtml(brand && brand.name !== title ? `${title} · ${brand.name}` : title)}</title>
<style>${css}</style>
${nextPath ? `<meta http-equiv="refresh" content="0; url=${escapeHtml(nextPath)}">\n` : ''}${hasForm ? `<script defer src="${PAGE_SCRIPT_PATH}"></script>\n` : ''}</head>
<body><main>${brand ? brandHeader(brand) : ''}<h1>${escapeHtml(title)}</h1>${text ? `<p>${escapeHtml(text)}</p>` : ''}${problem ? `<p class="problem" id="problem" role="alert">${escapeHtml(problem)}</p>` : ''}${hint ? `<p class="hint">${escapeHtml(hint)}</p>` : ''}${button}</main></body>
</html>
`);
}

/** Returns a URL's origin for a content security policy; the scheme if the URL opens an app. */
function redirectSource(redirectUrl: string): string {
  const { protocol, origin } = parseValidUrl(redirectUrl);
  return origin === 'null' ? protocol : origin;
}

/**
 * Returns the brand header. The name is always shown, because the logo may be slow, broken or without text.
 * The logo therefore needs no alternative text.
 */
const brandHeader = ({ name, logoUrl }: Brand): string =>
  `<p class="brand">${logoUrl ? `<img src="${escapeHtml(logoUrl)}" alt="" referrerpolicy="no-referrer">` : ''}<span>${escapeHtml(name)}</span></p>`;

/** Returns a button that POSTs the fields to the path. */
export const postButton = (path: string, label: string, fields: Record<string, string>): string =>
  form(path, label, hiddenInputs(fields));

export interface PasswordForm {
  /** Path that receives the POST with the fields, `username` and `password`. */
  path: string;
  /** The button's label. */
  label: string;
  /** Hidden fields, such as the token. */
  fields: Record<string, string>;
  /** The account's email address. Password managers store the password under this name. */
  email: string;
  /** The input field's label. */
  inputLabel: string;
  minLength: number;
  hint: string;
  /** Error for the password that was submitted before. */
  error?: string | null;
}

/** Returns a form for a new password. */
export function passwordForm({
  path,
  label,
  fields,
  email,
  inputLabel,
  minLength,
  hint,
  error,
}: PasswordForm): string {
  // Browsers check only `minlength`: `maxlength` would silently truncate a password (PW-01).
  const input = `<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${minLength}" aria-describedby="${error ? 'password-error ' : ''}password-hint"${error ? ' aria-invalid="true" autofocus' : ''}>`;
  return form(
    path,
    label,
    `${hiddenInputs(fields)}<input type="text" name="username" value="${escapeHtml(email)}" autocomplete="username" readonly hidden><label for="password">${escapeHtml(inputLabel)}</label>${input}${error ? `<p class="error" id="password-error" role="alert">${escapeHtml(error)}</p>` : ''}<p class="hint" id="password-hint">${escapeHtml(hint)}</p>`,
  );
}

/** Returns a link that looks like a button. */
export const linkButton = (href: string, label: string): string =>
  `<a class="button" href="${escapeHtml(href)}" rel="noreferrer">${escapeHtml(label)}</a>`;

/** Returns a link on a separate line, for an action that is rarely needed. */
export const textLink = (href: string, label: string): string =>
  `<p class="more"><a href="${escapeHtml(href)}">${escapeHtml(label)}</a></p>`;

/**
 * Returns a form that POSTs the inputs, which are HTML, to the path.
 * @param options `isSecondary` for a less important action; `more` is HTML after the button
 */
export const form = (
  path: string,
  label: string,
  inputs: string,
  { isSecondary = false, more = '' } = {},
): string =>
  `<form method="post" action="${escapeHtml(path)}">${inputs}<button type="submit"${isSecondary ? ' class="secondary"' : ''}>${escapeHtml(label)}</button>${more}</form>`;

/** Returns hidden inputs with the fields. */
export const hiddenInputs = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
