import type { Response } from 'express';
import { brandOf, GatehouseError, type Brand, type ProjectContext } from '#domain';
import type { OneTimeToken } from '#persistence';
import { linkButton, postButton, sendPage } from './page.js';

/** What the forms of the hosted pages send. */
export interface PageForm {
  token?: string;
  password?: string;
  /** Set by the button that asks for a new link. */
  renew?: string;
}

/** The token of a link; "" when there is none, or more than one. */
export const readToken = (query: unknown): string => (typeof query === 'string' ? query : '');

/** How the pages of a project look. */
export const projectBrand = ({ name, settings }: ProjectContext): Brand => brandOf(name, settings.branding);

/** @throws GatehouseError `origin_not_allowed` for a form that stands on a page of somebody else */
export function assertOwnForm(site: string | undefined): void {
  if (site !== undefined && site !== 'same-origin') throw new GatehouseError('origin_not_allowed');
}

/** For a token that is unknown, or void, such as one that was replaced by a newer one. */
export function sendUnknown(response: Response, found: OneTimeToken | null): void {
  sendPage(response, 400, {
    title: 'This link does not work',
    text: 'It was replaced by a newer one, or is not complete. Use the link of the newest e-mail that you got from us.',
    brand: found && projectBrand(found.project),
  });
}

/** For a token that came too late, with a button for a new one. */
export function sendExpired(response: Response, path: string, token: string, found: OneTimeToken): void {
  sendPage(response, 400, {
    title: 'This link has expired',
    text: `A new one can be sent to ${found.email}`,
    button: postButton(path, 'Send a new link', { token, renew: '1' }),
    brand: projectBrand(found.project),
  });
}

/** After a new link was asked for; the same whether it was sent or had just been sent before. */
export function sendRenewed(response: Response, found: OneTimeToken): void {
  sendPage(response, 200, {
    title: 'Check your inbox',
    text: `It can take a minute until the new link arrives at ${found.email}`,
    brand: projectBrand(found.project),
  });
}

/** The end of a page, with a way on where the project has one. */
export function sendDone(response: Response, found: OneTimeToken, title: string, text: string): void {
  const { redirectUrl } = found;
  sendPage(response, 200, {
    title,
    text: redirectUrl ? text : `${text} You can close this page.`,
    ...(redirectUrl ? { button: linkButton(redirectUrl, 'Continue') } : {}),
    brand: projectBrand(found.project),
  });
}
