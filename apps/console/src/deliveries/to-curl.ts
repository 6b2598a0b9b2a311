interface Request {
  headers: Record<string, string>;
  body: string;
}

/**
 * Quotes text for a shell. A shell interprets nothing within single quotes, so this is safe for untrusted
 * text.
 */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a delivery's request as a cURL command, without the timestamp and the signature, which are new in every attempt. */
export function toCurl(url: string, { headers, body }: Request): string {
  return [
    `curl --request POST --url ${quoteForShell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoteForShell(`${name}: ${value}`)}`),
    `--data-raw ${quoteForShell(body)}`,
  ].join(' \\\n  ');
}
