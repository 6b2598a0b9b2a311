import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import prettier from 'prettier';

const BEGIN = '<!-- the table: written by npm run test:nightly -->';
const END = '<!-- end of the table -->';
const HEAD = ['Fault', 'Expected result', 'Queue', 'Measurements', 'Result'];

/**
 * A reporter of jest: one row for each test under test/faults, whose result is jest's own and whose figures are
 * those that the test has noted (figures.ts). What did not run says so. With TEST_FAULT_TABLE the rows also go into
 * that document, together with those of earlier runs of jest that the file TEST_FAULT_ROWS has collected.
 */
export default class FaultTable {
  onRunComplete(_contexts, { testResults }) {
    const figures = readFigures(process.env.TEST_FIGURES);
    const rows = testResults
      .filter(({ testFilePath }) => FAULTS.test(testFilePath) && path.basename(testFilePath) !== CHECKER)
      .sort((one, other) => one.testFilePath.localeCompare(other.testFilePath))
      .flatMap((file) => [
        ...file.testResults.map((test) => toRow(test, figures.get(test.fullName))),
        ...(file.testExecError ? [failedRow(file.testFilePath)] : []),
      ]);
    if (rows.length === 0) return;
    print(rows);
    const document = process.env.TEST_FAULT_TABLE;
    if (document) return write(document, mergeFigures(rows));
  }
}

/** @returns the rows of all runs so far, those of this run last */
function mergeFigures(rows) {
  const file = process.env.TEST_FAULT_ROWS;
  if (!file) return rows;
  fs.appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const FAULTS = /[\\/]test[\\/]faults[\\/]/;

/** The ids before a title. */
const REQUIREMENTS = /^([A-Z]{1,2}-?\d+(, )?)+: /;

/** Tests of the checker itself are no faults. */
const CHECKER = 'history.spec.ts';

const results = { passed: 'held', failed: 'FAILED' };

/** A title says "fault: what has to happen", or only the latter below a `describe` that names the fault. */
function toRow({ title, ancestorTitles, status, duration }, figures = {}) {
  const [first, ...rest] = title.replace(REQUIREMENTS, '').split(': ');
  const fault = rest.length > 0 ? first : ancestorTitles.join(' ');
  const expected = rest.length > 0 ? rest.join(': ') : first;
  const carrier = /carried by (\w+)/.exec(ancestorTitles.join(' '))?.[1] ?? '';
  const measured = Object.entries(figures).map(([label, value]) => `${label}: ${value}`);
  if (duration >= 1_000) measured.push(`${(duration / 1_000).toFixed(0)} s in all`);
  return [fault, expected, carrier, measured.join(', '), results[status] ?? 'not run'];
}

const failedRow = (file) => [path.basename(file), '', '', 'could not be run', 'FAILED'];

function readFigures(file) {
  const byTest = new Map();
  for (const line of file && fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : []) {
    if (!line) continue;
    const { test, figures } = JSON.parse(line);
    byTest.set(test, { ...byTest.get(test), ...figures });
  }
  return byTest;
}

function print(rows) {
  const held = rows.filter((row) => row.at(-1) === results.passed).length;
  const lines = rows.map(([fault, expected, carrier, measured, result]) =>
    [`${result.padEnd(8)} ${carrier.padEnd(10)} ${fault}: ${expected}`, measured].join(`\n${' '.repeat(20)}`),
  );
  process.stdout.write(`\nFaults (${held} of ${rows.length} held)\n${lines.join('\n')}\n`);
}

/** Puts the rows between the marks of the document. */
async function write(document, rows) {
  const text = fs.readFileSync(document, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${document} lacks the marks of the table`);
  const cells = (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [cells(HEAD), cells(HEAD.map(() => ':--')), ...rows.map(cells)].join('\n');
  const content = `${before}${BEGIN}\n\n${measuredAt(rows)}\n\n${table}\n\n${END}${after}`;
  const options = await prettier.resolveConfig(document);
  fs.writeFileSync(document, await prettier.format(content, { ...options, filepath: document }));
}

function measuredAt(rows) {
  const held = rows.filter((row) => row.at(-1) === results.passed).length;
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  let state;
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    const changed = git('status', '--porcelain')
      .split('\n')
      .filter((line) => line && !/docs\/reliability\.md$/.test(line));
    state =
      changed.length > 0
        ? `on top of commit \`${commit}\`, with changes that are not committed`
        : `at commit \`${commit}\``;
  } catch {
    state = 'outside of a git repository';
  }
  const day = new Date().toISOString().slice(0, 10);
  return `Measured ${state} on ${day}, on ${availableParallelism()} cores, Node.js ${process.versions.node}: ${held} of ${rows.length} held.`;
}
