import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns a document's code blocks that begin with a file name, such as `// app.js`, `# app.py` or
 * `<!-- index.html -->`, by file name.
 */
export async function codeBlocks(document: string): Promise<Map<string, string>> {
  const text = await readFile(join(process.cwd(), document), 'utf8');
  const named = /^```(?:jsx?|tsx?|go|py|sh|html)\n(?:\/\/|#|<!--) (\S+\.\w+)(?: -->)?\n(.*?)^```$/gms;
  return new Map([...text.matchAll(named)].map(([, name, code]) => [name!, code!]));
}

/**
 * Returns the shell blocks that follow comments such as `<!-- settings -->`, by the name in the comment, in document
 * order.
 */
export async function shellBlocks(document: string): Promise<Map<string, string>> {
  const text = await readFile(join(process.cwd(), document), 'utf8');
  const blocks = /^<!-- ([\w-]+) -->\n\n```sh\n(.*?)^```$/gms;
  return new Map([...text.matchAll(blocks)].map(([, name, block]) => [name!, block!]));
}

/** Returns the shell block with a name. @throws Error if the document does not contain it */
export async function shellBlock(document: string, name: string): Promise<string> {
  const block = (await shellBlocks(document)).get(name);
  if (block === undefined) throw new Error(`${document} has no block ${name}`);
  return block;
}
