import { isPageUrl } from '../projects/page-url.js';

/**
 * Whether the text is where a billing portal may lead back to, as far as the text alone can tell (IN-10): an absolute
 * https URL, or an http URL of this machine. Page URLs are ASCII without a login, backslashes, blanks and controls;
 * the scheme of an app, which they may have as well, is none here.
 */
export const isReturnUrl = (text: string): boolean => /^https?:/i.test(text) && isPageUrl(text);

/**
 * Why an organization is not led back there (IN-10), as a sentence about `returnUrl`; null: it may be.
 * @param url what `isReturnUrl` has taken
 * @param origins the organization's billingReturnOrigins; empty: any
 */
export function returnUrlProblem(url: string, origins: string[], production: boolean): string | null {
  const { protocol, origin } = new URL(url);
  if (production && protocol !== 'https:') return 'returnUrl must start with https://';
  if (origins.length > 0 && !origins.includes(origin)) {
    return "The origin of returnUrl must be one of the organization's billingReturnOrigins";
  }
  return null;
}
