import type { Response } from 'express';
import {
  resolveBrand,
  parseAcceptLanguage,
  type Brand,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import type { OneTimeToken } from '@gatehouse/persistence';
import { assertWithinLimit } from '../http/address-limit.js';
import type { GatehouseRequest } from '../http/request-context.js';
import { acceptedLanguages } from '../http/request-languages.js';
import { isRepeatable } from '../one-time-tokens/one-time-links.service.js';
import { linkButton, postButton, sendPage } from './page.js';
import { selectPageTexts, type PageTexts } from './page-texts.js';

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

/** The project of a link, and the customer for whom its page is. */
interface PageLink {
  project: ProjectContext;
  customer: Pick<Customer, 'locale'>;
}

/** Returns the texts of a page for the customer of a link, or without one for the browser. */
export const textsFor = (response: Response, link: PageLink | null = null): PageTexts =>
  selectPageTexts({
    locale: link?.customer.locale ?? null,
    accepted: parseAcceptLanguage(acceptedLanguages(response.req as GatehouseRequest)),
    defaultLocale: link?.project.settings.defaultLocale ?? null,
  });

/**
 * Applies the limit of the project of a link to the request.
 * @returns the link
 * @throws GatehouseError `rate_limited`
 */
export async function withinLimit<Link extends { project: ProjectContext }>(
  response: Response,
  link: Link | null,
): Promise<Link | null> {
  await assertWithinLimit((response.req as GatehouseRequest).counted, link?.project ?? null);
  return link;
}

/** Operations on the links that open a page. */
export interface PageLinks {
  /** Returns the token of a link in any state, without consuming it. */
  find(token: string): Promise<OneTimeToken | null>;
  /** Sends a new link in place of an expired one. Absent if the page does not offer this. */
  resendExpired?(expired: OneTimeToken): Promise<void>;
}

export interface Submission {
  form: PageForm | undefined;
  response: Response;
  links: PageLinks;
  /**
   * Returns true if the form can be submitted with this link. Default: if the link is active, or if this can be a
   * repetition of the form that has used it.
   */
  isUsable?: (oneTimeToken: OneTimeToken) => boolean;
  /** Sends the page for a link that can no longer be used. */
  sendEnded: (response: Response, oneTimeToken: OneTimeToken | null, token: string) => void;
}

/**
 * Returns the link of a submitted form if it is usable. For any other link, sends the response and returns
 * null: the response confirms a new link if the form requested one, or shows the state of the link.
 * @throws GatehouseError `rate_limited`
 */
export async function resolveSubmission({
  form,
  response,
  links,
  isUsable = (link) => link.state === 'live' || isRepeatable(link),
  sendEnded,
}: Submission): Promise<{ token: string; oneTimeToken: OneTimeToken } | null> {
  const token = form?.token ?? '';
  const oneTimeToken = await withinLimit(response, await links.find(token));
  if (oneTimeToken && isUsable(oneTimeToken)) return { token, oneTimeToken };
  if (oneTimeToken?.state === 'expired' && form?.renew && links.resendExpired) {
    await links.resendExpired(oneTimeToken);
    sendResent(response, oneTimeToken);
  } else sendEnded(response, oneTimeToken, token);
  return null;
}

/** Sends the page for a token that is unknown or voided, for example because a newer one replaced it. */
export function sendInvalid(response: Response, oneTimeToken: OneTimeToken | null): void {
  const { language, invalidLink } = textsFor(response, oneTimeToken);
  const brand = oneTimeToken && projectBrand(oneTimeToken.project);
  sendPage(response, 400, { language, ...invalidLink, brand });
}

/** Sends the page for an expired token, with a button that requests a new link. */
export function sendExpired(
  response: Response,
  path: string,
  token: string,
  oneTimeToken: OneTimeToken,
): void {
  const { language, expiredLink } = textsFor(response, oneTimeToken);
  sendPage(response, 400, {
    language,
    title: expiredLink.title,
    text: expiredLink.text(oneTimeToken.email),
    button: postButton(path, expiredLink.button, { token, renew: '1' }),
    brand: projectBrand(oneTimeToken.project),
  });
}

/** Sends the page after a request for a new link. It is the same if the quota prevented a new email. */
function sendResent(response: Response, oneTimeToken: OneTimeToken): void {
  const { language, newLink } = textsFor(response, oneTimeToken);
  sendPage(response, 200, {
    language,
    title: newLink.title,
    text: newLink.text(oneTimeToken.email),
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
  const { language, close, continueButton } = textsFor(response, oneTimeToken);
  sendPage(response, 200, {
    language,
    title,
    text: redirectUrl ? text : `${text} ${close}`,
    button: (redirectUrl ? linkButton(redirectUrl, continueButton) : '') + more,
    brand: projectBrand(oneTimeToken.project),
  });
}
