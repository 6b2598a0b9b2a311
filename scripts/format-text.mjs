import fs from 'node:fs';
import path from 'node:path';
import { root } from './environment.mjs';

/**
 * Formats text like `npm run format`.
 * @param {string} name the name of the file that contains the text
 * @param {string} text
 * @returns {Promise<string>}
 * @throws Error if the text has syntax errors
 */
export async function formatText(name, text) {
  const { format } = await import('oxfmt');
  const options = JSON.parse(fs.readFileSync(path.join(root, '.oxfmtrc.json'), 'utf8'));
  const { code, errors } = await format(path.basename(name), text, options);
  if (errors.length > 0) throw new Error(`${name}: ${errors.map(({ message }) => message).join(', ')}`);
  return code;
}
