import type { Response } from 'express';
import { resolveBrand, GatehouseError, type Brand, type ProjectContext } from '@gatehouse/domain';
import type { OneTimeToken } from '@gatehouse/persistence';
import { linkButton, postButton, sendPage } from './page.js';

/** Fields of the forms of the hosted pages. */
export interface PageForm {
  token?: string;
  password?: string;
  /** Set by the button that requests a new link. */
  renew?: string;
}

/** Returns the token of a link, or "" if there is none or more than one. */
export const readToken = (query: unknown): string => (typeof query === 'string' ? query : '');

/** Returns the branding of the pages of a project. */
export const projectBrand = ({ name, settings }: ProjectContext): Brand =>
  resolveBrand(name, settings.branding);

/** Operations on the links that open a page. */
export interface PageLinks {
  /** Returns the token of a link in any state, without consuming it. */
  find(token: string): Promise<OneTimeToken | null>;
  /** Sends a new link in place of an expired one. Absent if the page does not offer this. */
  resendExpired?(expired: OneTimeToken): Promise<void>;
}

export interface Submission {
  form: PageForm | undefined;
  /** The header `Sec-Fetch-Site`. */
  fetchSite: string | undefined;
  response: Response;
  links: PageLinks;
  /** Returns true if the form can be submitted with this link. Default: if the link is active. */
  isUsable?: (oneTimeToken: OneTimeToken) => boolean;
  /** Sends the page for a link that can no longer be used. */
  sendEnded: (response: Response, oneTimeToken: OneTimeToken | null, token: string) => void;
}

/**
 * Returns the link of a submitted form if it is usable. For any other link, sends the response and returns
 * null: the response confirms a new link if the form requested one, or shows the state of the link.
 * @throws GatehouseError `origin_not_allowed` if the form was submitted from a page of another site
 */
export async function resolveSubmission({
  form,
  fetchSite,
  response,
  links,
  isUsable = ({ state }) => state === 'live',
  sendEnded,
}: Submission): Promise<{ token: string; oneTimeToken: OneTimeToken } | null> {
  if (fetchSite !== undefined && fetchSite !== 'same-origin') throw new GatehouseError('origin_not_allowed');
  const token = form?.token ?? '';
  const oneTimeToken = await links.find(token);
  if (oneTimeToken && isUsable(oneTimeToken)) return { token, oneTimeToken };
  if (oneTimeToken?.state === 'expired' && form?.renew && links.resendExpired) {
    await links.resendExpired(oneTimeToken);
    sendResent(response, oneTimeToken);
  } else sendEnded(response, oneTimeToken, token);
  return null;
}

/** Sends the page for a token that is unknown or voided, for example because a newer one replaced it. */
export function sendInvalid(response: Response, oneTimeToken: OneTimeToken | null): void {
  sendPage(response, 400, {
    title: 'This link is not valid',
    text: 'The link is incomplete or was replaced by a newer one. Use the link in the most recent email.',
    brand: oneTimeToken && projectBrand(oneTimeToken.project),
  });
}

/** Sends the page for an expired token, with a button that requests a new link. */
export function sendExpired(
  response: Response,
  path: string,
  token: string,
  oneTimeToken: OneTimeToken,
): void {
  sendPage(response, 400, {
    title: 'This link has expired',
    text: `We can send a new link to ${oneTimeToken.email}`,
    button: postButton(path, 'Send a new link', { token, renew: '1' }),
    brand: projectBrand(oneTimeToken.project),
  });
}

/** Sends the page after a request for a new link. It is the same if the quota prevented a new email. */
function sendResent(response: Response, oneTimeToken: OneTimeToken): void {
  sendPage(response, 200, {
    title: 'Check your inbox',
    text: `It can take a minute for the new link to arrive at ${oneTimeToken.email}`,
    brand: projectBrand(oneTimeToken.project),
  });
}

/**
 * Sends the final page, with a Continue button if the link has a redirect URL.
 * @param more HTML from `textLink`
 */
export function sendDone(
  response: Response,
  oneTimeToken: OneTimeToken,
  title: string,
  text: string,
  more = '',
): void {
  const { redirectUrl } = oneTimeToken;
  sendPage(response, 200, {
    title,
    text: redirectUrl ? text : `${text} You can close this page.`,
    button: (redirectUrl ? linkButton(redirectUrl, 'Continue') : '') + more,
    brand: projectBrand(oneTimeToken.project),
  });
}
