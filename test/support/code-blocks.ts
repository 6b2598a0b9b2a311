import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The code blocks of a document that begin with the name of a file, such as `// app.js`, by that name. */
export async function codeBlocks(document: string): Promise<Map<string, string>> {
  const text = await readFile(join(process.cwd(), document), 'utf8');
  const named = /^```(?:js|ts)\n\/\/ (\S+)\n(.*?)^```$/gms;
  return new Map([...text.matchAll(named)].map(([, name, code]) => [name!, code!]));
}

/** The shell block behind a comment such as `<!-- settings -->`. @throws Error when there is none */
export async function shellBlock(document: string, name: string): Promise<string> {
  const text = await readFile(join(process.cwd(), document), 'utf8');
  const block = new RegExp(`<!-- ${name} -->\\n\\n\`\`\`sh\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1];
  if (block === undefined) throw new Error(`${document} has no block ${name}`);
  return block;
}
