import fs from 'node:fs';
import { filesIn } from './files-in.mjs';

/** The parts of the repository whose English is measured. */
const AREAS = {
  comments: ['apps', 'libs', 'packages', 'examples', 'scripts', 'test'],
  docs: ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs'],
};

const CODE = /\.(?:ts|tsx|mjs|cjs)$/;
const GENERATED =
  /node_modules|\/dist\/|\.d\.ts$|docs\/events\.md$|packages\/\w+\/src\/(?:openapi|event-types)\.ts$|\/\.next\//;

/** Targets for "of" in 1,000 words. They are not limits: a sentence that needs its "of" keeps it. */
const TARGETS = { comments: 18, docs: 25 };

/**
 * Counts the words, the occurrences of "of", and chains of "of" in comments and documents.
 * @param {string[]} [places] files and folders. Default: all
 * @returns {{ area: string, words: number, ofs: number, chains: number }[]} one row for each folder with comments, and
 *   for each place with documents
 */
export function countWords(places) {
  return Object.entries(AREAS).flatMap(([kind, roots]) =>
    (places ?? roots).flatMap((root) => {
      const texts = textsIn(root)
        .filter((file) => (kind === 'comments' ? CODE.test(file) : file.endsWith('.md')))
        .map((file) => fs.readFileSync(file, 'utf8'))
        .map((source) => (kind === 'comments' ? extractComments(source) : extractProse(source)));
      return texts.length === 0 ? [] : [{ area: `${kind} ${root}`, kind, ...count(texts.join('\n\n')) }];
    }),
  );
}

/** Returns the lines that `npm run files` prints. */
export function describeWordCounts(places) {
  const rows = countWords(places);
  const perThousand = ({ words, ofs }) => ((1000 * ofs) / Math.max(words, 1)).toFixed(1);
  const sum = (kind) => {
    const own = rows.filter((row) => row.kind === kind);
    const total = (key) => own.reduce((value, row) => value + row[key], 0);
    return { area: kind, kind, words: total('words'), ofs: total('ofs'), chains: total('chains') };
  };
  const totals = Object.keys(AREAS).map(sum);
  return [...rows, ...totals.filter(({ words }) => words > 0)].map((row) => {
    const target = row.area === row.kind ? ` (target: ${TARGETS[row.kind]})` : '';
    return `${row.area}: ${perThousand(row)} "of" in 1,000 words${target}, ${row.chains} chains, ${row.words} words`;
  });
}

function textsIn(place) {
  if (!fs.existsSync(place)) return [];
  if (fs.statSync(place).isFile()) return [place];
  return filesIn(place).filter(
    (name) => !GENERATED.test(name) && /\.\w+$/.test(name) && fs.statSync(name).isFile(),
  );
}

/** Returns the comments of a source file. A `//` after a colon or a quote is part of a URL. */
const extractComments = (source) =>
  [...source.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<![:'"`\w/])\/\/(.*)$/gm)]
    .map(([, block, line]) => (block ?? line).replaceAll(/^\s*\* ?/gm, '').replaceAll(/`[^`]*`/g, 'x'))
    .join('\n\n');

/** Returns the prose of a Markdown document, without code. */
const extractProse = (source) =>
  source
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`/g, 'x')
    .replaceAll(/\]\([^)]*\)/g, ']');

function count(text) {
  const words = text.match(/[A-Za-z][A-Za-z'’-]*/g) ?? [];
  const ofs = words.filter((word) => word.toLowerCase() === 'of').length;
  // Counts pairs of "of" with at most three words between them.
  const chains = text.match(/\bof(?: [\w'’-]+){1,3} of\b/gi)?.length ?? 0;
  return { words: words.length, ofs, chains };
}

// `node scripts/count-words.mjs libs/domain docs/webhooks.md` measures only these places.
if (import.meta.filename === process.argv[1]) {
  const places = process.argv.slice(2);
  console.log(describeWordCounts(places.length > 0 ? places : undefined).join('\n'));
}
