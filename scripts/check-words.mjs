import fs from 'node:fs';
import path from 'node:path';
import { filesIn } from './files-in.mjs';

const PLACES = ['apps', 'docs', 'libs', 'ops', 'packages', 'scripts', 'test'];
const EXTENSIONS = ['.ts', '.tsx', '.mjs', '.cjs', '.css', '.md', '.yml', '.sh'];

/** The files that list the words. */
const LISTS = ['scripts/check-words.mjs', 'docs/development/english.md'];

/** Files with stored names that contain a listed word, and the words that each may contain. */
const EXCEPTIONS = {
  // Names of migrations, indexes and a column from version 0.1.0.
  'libs/persistence/src/migrations/current-migration-names.ts': ['house'],
  'libs/persistence/src/migrations/1764028820000-add-search-indexes.ts': ['house'],
  'libs/persistence/src/migrations/1764115200000-add-system-customer-indexes.ts': ['house'],
  'libs/persistence/src/migrations/1763856000000-add-api-key-rotation-and-expiry.ts': ['untold'],
  'libs/persistence/src/migrations/1763942410000-add-endpoint-headers-and-health.ts': ['untold'],
  'libs/persistence/src/customer-data/erasures.repository.ts': ['untold'],
  'libs/persistence/src/webhooks/delivery.entity.ts': ['untold'],
  'libs/persistence/src/webhooks/delivery-processing.repository.ts': ['untold'],
  'libs/persistence/src/webhooks/unnotified-dead-letters.repository.ts': ['untold'],
  'test/e2e/customers-erasure.spec.ts': ['untold'],
  'test/e2e/dead-letter-events.spec.ts': ['untold'],
};

/** Returns the words in the table of rejected words in docs/development/english.md, each with its replacement. */
function readWords() {
  const [, table] = fs.readFileSync('docs/development/english.md', 'utf8').split('| Rejected word');
  return [...table.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].map(([, word, replacement]) => ({
    word,
    replacement,
    pattern: createPattern(word),
  }));
}

/** Matches a word, its plural and its past tense, on its own or in a camelCase name, but not inside a longer word. */
function createPattern(word) {
  const [first, rest] = [word[0], word.slice(1)];
  const end = '(?:s|d)?(?![a-z])';
  // After a quote or a slash, the word is test data, such as an email address.
  return new RegExp(`(?<![A-Za-z'"\`/])${word}${end}|(?<![A-Z])${first.toUpperCase()}${rest}${end}`);
}

/** @returns {string[]} one problem for each line that contains a rejected word */
export function findRejectedWords() {
  const words = readWords();
  if (words.length === 0) return ['docs/development/english.md: no rejected words'];
  return PLACES.flatMap(textsIn).flatMap((file) =>
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        words
          .filter(({ word, pattern }) => pattern.test(line) && !EXCEPTIONS[file]?.includes(word))
          .map(({ word, replacement }) => `${file}:${index + 1}: "${word}": use ${replacement}`),
      ),
  );
}

const textsIn = (folder) =>
  filesIn(folder)
    .filter((name) => EXTENSIONS.includes(path.extname(name)) && !/(^|\/)(dist|node_modules)\//.test(name))
    .filter((name) => !LISTS.includes(name) && !name.endsWith('openapi.d.ts'));
