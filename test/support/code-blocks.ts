import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The code blocks of a document that begin with the name of a file, such as `// app.js` or `# app.py`, by that name. */
export async function codeBlocks(document: string): Promise<Map<string, string>> {
  const text = await readFile(join(process.cwd(), document), 'utf8');
  const named = /^```(?:js|ts|go|py|sh)\n(?:\/\/|#) (\S+\.\w+)\n(.*?)^```$/gms;
  return new Map([...text.matchAll(named)].map(([, name, code]) => [name!, code!]));
}

/** The shell blocks behind comments such as `<!-- settings -->`, by that name, in the order of the document. */
export async function shellBlocks(document: string): Promise<Map<string, string>> {
  const text = await readFile(join(process.cwd(), document), 'utf8');
  const blocks = /^<!-- ([\w-]+) -->\n\n```sh\n(.*?)^```$/gms;
  return new Map([...text.matchAll(blocks)].map(([, name, block]) => [name!, block!]));
}

/** One of them. @throws Error when there is none */
export async function shellBlock(document: string, name: string): Promise<string> {
  const block = (await shellBlocks(document)).get(name);
  if (block === undefined) throw new Error(`${document} has no block ${name}`);
  return block;
}
