import type { Response } from 'express';
import { parseValidUrl, resolveBrand, type Brand } from '@gatehouse/domain';
import { escapeHtml, type BuiltInLanguage } from '@gatehouse/platform';
import { PAGE_SCRIPT_PATH } from './page-script.js';
import { pageStyle } from './page-style.js';

export interface PageContent {
  /** Language of the page, as a BCP 47 tag. */
  language: BuiltInLanguage;
  /** The page's only heading. */
  title: string;
  /** Default: none. */
  text?: string;
  /**
   * Problem with the submitted form. It is announced to screen readers, and inputs refer to it with
   * `aria-describedby="problem"`.
   */
  problem?: string | null;
  /** Additional small print. */
  hint?: string;
  /** Action of the page, as HTML from `postButton`, `passwordForm`, `linkButton` and `textLink`. */
  button?: string;
  /** Path that the browser opens immediately. Default: none. */
  nextPath?: string;
  /** URL to which the response to the form redirects. Default: none. */
  redirectUrl?: string;
  /** Branding of the page. Null or undefined for none, for example with an unknown token. */
  brand?: Brand | null;
}

/**
 * Replaces the header's referrer policy, `no-referrer`, with which browsers would send `Origin: null` with the page's
 * forms. The referrer is then only the page's origin, which contains no token.
 */
const ORIGIN_ONLY = '<meta name="referrer" content="strict-origin">';

const defaultBrand = resolveBrand('');

/**
 * Sends a hosted page with its own content security policy. It allows only the script for hosted pages, on pages with a
 * form, and no asset from another origin except the project logo (HD-01).
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
    // Chromium also applies the directive to redirects.
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

/** Returns a URL's origin for a content security policy, or its scheme if the URL opens an app. */
function redirectSource(redirectUrl: string): string {
  const { protocol, origin } = parseValidUrl(redirectUrl);
  return origin === 'null' ? protocol : origin;
}

/**
 * Returns the brand header. The name is always shown, because the logo may be slow, broken or without lettering. The
 * logo therefore needs no alternative text.
 */
const brandHeader = ({ name, logoUrl }: Brand): string =>
  `<p class="brand">${logoUrl ? `<img src="${escapeHtml(logoUrl)}" alt="" referrerpolicy="no-referrer">` : ''}<span>${escapeHtml(name)}</span></p>`;

/** Returns a button that POSTs the fields to the path. */
export const postButton = (path: string, label: string, fields: Record<string, string>): string =>
  form(path, label, hiddenInputs(fields));

export interface PasswordForm {
  /** Path to which `fields`, `username` and `password` are posted. */
  path: string;
  /** Button label. */
  label: string;
  /** Hidden fields, such as the token. */
  fields: Record<string, string>;
  /** Email address of the account, under which password managers store the password. */
  email: string;
  /** Input field label. */
  inputLabel: string;
  minLength: number;
  hint: string;
  /** Error in the previously submitted password. */
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
  // Only `minlength` is set: `maxlength` would silently truncate a password (PW-01).
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

/** Returns a link on a separate line, for a rarely used action. */
export const textLink = (href: string, label: string): string =>
  `<p class="more"><a href="${escapeHtml(href)}">${escapeHtml(label)}</a></p>`;

/**
 * Returns a form that posts the inputs to the path.
 * @param inputs HTML
 * @param options `isSecondary` for a less important action; `more` is HTML after the button
 */
export const form = (
  path: string,
  label: string,
  inputs: string,
  { isSecondary = false, more = '' } = {},
): string =>
  `<form method="post" action="${escapeHtml(path)}">${inputs}<button type="submit"${isSecondary ? ' class="secondary"' : ''}>${escapeHtml(label)}</button>${more}</form>`;

/** Returns hidden inputs for the fields. */
export const hiddenInputs = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
