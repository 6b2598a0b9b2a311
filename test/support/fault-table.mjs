import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { formatText } from '../../scripts/format-text.mjs';

const BEGIN = '<!-- the table: written by npm run test:nightly -->';
const END = '<!-- end of the table -->';
const HEAD = ['Fault', 'Expected result', 'Queue', 'Measurements', 'Result'];

/**
 * A jest reporter that prints one row for each test in test/faults, with its result and the measurements that it has
 * recorded (measurements.ts). Tests that did not run are marked. If TEST_FAULT_TABLE is set, the rows are also
 * written to that document, together with the rows of earlier jest runs from the file TEST_FAULT_ROWS.
 */
export default class FaultTable {
  onRunComplete(_contexts, { testResults }) {
    const measurements = readMeasurements(process.env.TEST_MEASUREMENTS);
    const rows = testResults
      .filter(({ testFilePath }) => FAULTS.test(testFilePath) && path.basename(testFilePath) !== CHECKER)
      .sort((one, other) => one.testFilePath.localeCompare(other.testFilePath))
      .flatMap((file) => [
        ...file.testResults.map((test) => toRow(test, measurements.get(test.fullName))),
        ...(file.testExecError ? [failedRow(file.testFilePath)] : []),
      ]);
    if (rows.length === 0) return;
    print(rows);
    const document = process.env.TEST_FAULT_TABLE;
    if (document) return write(document, mergeRows(rows));
  }
}

/** Returns the rows of all runs so far. The rows of this run come last. */
function mergeRows(rows) {
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

/** The requirement ids before a title. */
const REQUIREMENTS = /^([A-Z]{1,2}-?\d+(, )?)+: /;

/** The checker's own tests, which inject no faults. */
const CHECKER = 'history.spec.ts';

const results = { passed: 'held', failed: 'FAILED' };

/**
 * Converts a test to a row. A title has the form "fault: expected result", or contains only the expected result if
 * `describe` contains the fault.
 */
function toRow({ title, ancestorTitles, status, duration }, measurements = {}) {
  const [first, ...rest] = title.replace(REQUIREMENTS, '').split(': ');
  const fault = rest.length > 0 ? first : ancestorTitles.join(' ');
  const expected = rest.length > 0 ? rest.join(': ') : first;
  const queue = /deliveries with (\w+)/.exec(ancestorTitles.join(' '))?.[1] ?? '';
  const measured = Object.entries(measurements).map(([label, value]) => `${label}: ${value}`);
  if (duration >= 1_000) measured.push(`${(duration / 1_000).toFixed(0)} s in all`);
  return [fault, expected, queue, measured.join(', '), results[status] ?? 'not run'];
}

const failedRow = (file) => [path.basename(file), '', '', 'could not be run', 'FAILED'];

function readMeasurements(file) {
  const byTest = new Map();
  for (const line of file && fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : []) {
    if (!line) continue;
    const { test, measurements } = JSON.parse(line);
    byTest.set(test, { ...byTest.get(test), ...measurements });
  }
  return byTest;
}

function print(rows) {
  const held = rows.filter((row) => row.at(-1) === results.passed).length;
  const lines = rows.map(([fault, expected, queue, measured, result]) =>
    [`${result.padEnd(8)} ${queue.padEnd(10)} ${fault}: ${expected}`, measured].join(`\n${' '.repeat(20)}`),
  );
  process.stdout.write(`\nFaults (${held} of ${rows.length} held)\n${lines.join('\n')}\n`);
}

/** Writes the rows between a document's markers. */
async function write(document, rows) {
  const text = fs.readFileSync(document, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${document} does not contain the table's markers`);
  const cells = (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [cells(HEAD), cells(HEAD.map(() => ':--')), ...rows.map(cells)].join('\n');
  const content = `${before}${BEGIN}\n\n${measuredAt(rows)}\n\n${table}\n\n${END}${after}`;
  fs.writeFileSync(document, await formatText(document, content));
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
