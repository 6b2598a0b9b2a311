import type { Response } from 'express';
import { resolveBrand, type Brand } from '@gatehouse/domain';
import { escapeHtml } from '@gatehouse/platform';
import { pageStyle } from './page-style.js';

export interface PageContent {
  /** The page's one heading. */
  title: string;
  text: string;
  /** What can be done here, as HTML made by `postButton`, `passwordForm` or `linkButton`. */
  button?: string;
  /** Whose page it is; null or absent: nobody's, as for an unknown token. */
  brand?: Brand | null;
}

const defaultBrand = resolveBrand('');

/** Sends a hosted page: no script, no outside asset but the project's logo, a content policy of its own (HD-01). */
export function sendPage(
  response: Response,
  status: number,
  { title, text, button = '', brand }: PageContent,
): void {
  const { css, hash } = pageStyle(brand ?? defaultBrand);
  const policy = [
    "default-src 'none'",
    `style-src '${hash}'`,
    ...(brand?.logoUrl ? [`img-src ${new URL(brand.logoUrl).origin}`] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Robots-Tag': 'noindex, nofollow',
  }).send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(brand && brand.name !== title ? `${title} · ${brand.name}` : title)}</title>
<style>${css}</style>
</head>
<body><main>${brand ? head(brand) : ''}<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${button}</main></body>
</html>
`);
}

/** The name stands beside the logo, which may be slow, broken or without words; so the picture needs none. */
const head = ({ name, logoUrl }: Brand): string =>
  `<p class="brand">${logoUrl ? `<img src="${escapeHtml(logoUrl)}" alt="">` : ''}<span>${escapeHtml(name)}</span></p>`;

/** A button that POSTs the fields to the path. */
export const postButton = (path: string, label: string, fields: Record<string, string>): string =>
  form(path, label, hiddenInputs(fields));

export interface PasswordForm {
  /** Where it is POSTed, with the fields, `username` and `password`. */
  path: string;
  /** On the button. */
  label: string;
  /** Such as the token. */
  fields: Record<string, string>;
  /** Whose password it is: password managers keep it under this name. */
  email: string;
  minLength: number;
  /** What was wrong with the password that was sent before. */
  error?: string | null;
}

/** A form that asks for a new password. */
export function passwordForm({ path, label, fields, email, minLength, error }: PasswordForm): string {
  // Only `minlength` is left to the browser: `maxlength` would cut a password without a word (PW-01).
  const input = `<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${minLength}" aria-describedby="${error ? 'password-error ' : ''}password-hint"${error ? ' aria-invalid="true" autofocus' : ''}>`;
  return form(
    path,
    label,
    `${hiddenInputs(fields)}<input type="text" name="username" value="${escapeHtml(email)}" autocomplete="username" readonly hidden><label for="password">New password</label>${input}${error ? `<p class="error" id="password-error" role="alert">${escapeHtml(error)}</p>` : ''}<p class="hint" id="password-hint">At least ${minLength} characters. Any character is allowed.</p>`,
  );
}

/** A button that leads on. */
export const linkButton = (href: string, label: string): string =>
  `<a class="button" href="${escapeHtml(href)}" rel="noreferrer">${escapeHtml(label)}</a>`;

const form = (path: string, label: string, inputs: string): string =>
  `<form method="post" action="${escapeHtml(path)}">${inputs}<button type="submit">${escapeHtml(label)}</button></form>`;

const hiddenInputs = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
