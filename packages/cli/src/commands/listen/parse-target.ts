import { InvalidArgumentError } from 'commander';

/** Parses a receiver's URL. Without a scheme, as in `localhost:4000/webhooks`, the URL uses http. */
export function parseTarget(text: string): URL {
  const withScheme = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('Use an http or https URL, such as http://localhost:4000/webhooks.');
}
