import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { main, root } from './environment.mjs';

const DOCUMENT = path.join(root, 'docs', 'operator-openapi.json');
const TYPES = path.join(root, 'apps', 'console', 'src', 'http', 'openapi.d.ts');

/** Writes the types of the operator API for the console, unless they are those of docs/operator-openapi.json already. */
await main(async () => {
  const text = fs.readFileSync(DOCUMENT, 'utf8');
  const head = `// Made by scripts/console-types.mjs; do not edit. ${createHash('sha256').update(text).digest('hex')}\n`;
  if (fs.existsSync(TYPES) && fs.readFileSync(TYPES, 'utf8').startsWith(head)) return;
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  fs.writeFileSync(TYPES, head + astToString(await openapiTS(JSON.parse(text))));
});
