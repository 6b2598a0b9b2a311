import type { Response } from 'express';
import { resolveBrand, GatehouseError, type Brand, type ProjectContext } from '@gatehouse/domain';
import type { OneTimeToken } from '@gatehouse/persistence';
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
export const projectBrand = ({ name, settings }: ProjectContext): Brand =>
  resolveBrand(name, settings.branding);

/** What is done with the links that lead to a page. */
export interface PageLinks {
  /** The token of a link, whatever its state, without using it. */
  find(token: string): Promise<OneTimeToken | null>;
  /** Sends an expired link once more; absent where that is not offered. */
  resendExpired?(expired: OneTimeToken): Promise<void>;
}

export interface Submission {
  form: PageForm | undefined;
  /** The header `Sec-Fetch-Site`. */
  fetchSite: string | undefined;
  response: Response;
  links: PageLinks;
  /** Answers for a link that does nothing any more. */
  sendEnded: (response: Response, found: OneTimeToken | null, token: string) => void;
}

/**
 * The link of a form that was sent, while it is good. For any other one null, after the answer: a new link where the
 * form asks for one, or what became of this one.
 * @throws GatehouseError `origin_not_allowed` for a form that stands on a page of somebody else
 */
export async function resolveSubmission({
  form,
  fetchSite,
  response,
  links,
  sendEnded,
}: Submission): Promise<{ token: string; found: OneTimeToken } | null> {
  if (fetchSite !== undefined && fetchSite !== 'same-origin') throw new GatehouseError('origin_not_allowed');
  const token = form?.token ?? '';
  const found = await links.find(token);
  if (found?.state === 'live') return { token, found };
  if (found?.state === 'expired' && form?.renew && links.resendExpired) {
    await links.resendExpired(found);
    sendResent(response, found);
  } else sendEnded(response, found, token);
  return null;
}

/** For a token that is unknown, or void, such as one that was replaced by a newer one. */
export function sendInvalid(response: Response, found: OneTimeToken | null): void {
  sendPage(response, 400, {
    title: 'This link is not valid',
    text: 'The link is incomplete or was replaced by a newer one. Use the link in the most recent email.',
    brand: found && projectBrand(found.project),
  });
}

/** For a token that came too late, with a button for a new one. */
export function sendExpired(response: Response, path: string, token: string, found: OneTimeToken): void {
  sendPage(response, 400, {
    title: 'This link has expired',
    text: `We can send a new link to ${found.email}`,
    button: postButton(path, 'Send a new link', { token, renew: '1' }),
    brand: projectBrand(found.project),
  });
}

/** After a new link was asked for; the same whether it was sent or had just been sent before. */
function sendResent(response: Response, found: OneTimeToken): void {
  sendPage(response, 200, {
    title: 'Check your inbox',
    text: `It can take a minute for the new link to arrive at ${found.email}`,
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
