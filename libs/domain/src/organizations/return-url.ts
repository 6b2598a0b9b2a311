import { isPageUrl } from '../urls/page-url.js';
import { parseValidUrl } from '../urls/parse-url.js';

/**
 * Returns whether a URL's format allows the billing portal to return to it (requirement IN-10): an absolute https URL,
 * or an http URL on the local machine. Like page URLs, it must be ASCII without credentials, backslashes, whitespace or
 * control characters. Unlike page URLs, it cannot use an app's scheme.
 */
export const isReturnUrl = (text: string): boolean => /^https?:/i.test(text) && isPageUrl(text);

/**
 * Returns the error message if the billing portal must not return to a URL, or null (requirement IN-10).
 * @param url a URL that `isReturnUrl` accepts
 * @param origins the organization's billingReturnOrigins; empty allows any
 */
export function returnUrlProblem(url: string, origins: string[], production: boolean): string | null {
  const { protocol, origin } = parseValidUrl(url);
  if (production && protocol !== 'https:') return 'returnUrl must start with https://';
  if (origins.length > 0 && !origins.includes(origin)) {
    return "The origin of returnUrl must be one of the organization's billingReturnOrigins";
  }
  return null;
}
