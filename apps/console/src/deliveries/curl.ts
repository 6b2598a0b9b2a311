interface Request {
  headers: Record<string, string>;
  body: string;
}

/** Between single quotes a shell understands nothing, whatever a stranger wrote there. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request of a delivery as a command, without timestamp and signature: those are new in every attempt. */
export function asCurl(url: string, { headers, body }: Request): string {
  return [
    `curl --request POST --url ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}
