interface Request {
  headers: Record<string, string>;
  body: string;
}

/** Between single quotes a shell understands nothing, whatever a stranger wrote there. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request of a delivery as a command, without timestamp and signature: those are new in every attempt. */
export function toCurl(url: string, { headers, body }: Request): string {
  return [
    `curl --request POST --url ${quoteForShell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoteForShell(`${name}: ${value}`)}`),
    `--data-raw ${quoteForShell(body)}`,
  ].join(' \\\n  ');
}
