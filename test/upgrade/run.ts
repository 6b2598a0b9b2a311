import { execFileSync } from 'node:child_process';
import { inspect, parseArgs } from 'node:util';
import { startBenchServers } from '../bench/servers.js';
import { VERSION } from '../support/platform.js';
import { createFixture } from './create-fixture.js';
import { readFixture } from './fixture.js';
import { DatabaseNotEmptyError, restore } from './restore.js';
import { verifyUpgrade } from './verify-upgrade.js';

const USAGE = `npm run upgrade-fixture -- restore --database-url=<URL of an empty database> [--version=<default 0.1.0>] [--times=<1 to 1000>]
npm run upgrade-fixture -- verify --previous=<path to a built checkout of --version> [--version=<default 0.1.0>] [--times=<1 to 1000>]
npm run upgrade-fixture -- create --version=<version> [--commit=<default: HEAD>]`;

class UsageError extends Error {}

const started = performance.now();
const report = (line: string): void => {
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`${seconds.padStart(7)} s  ${line}\n`);
};

/** Each command's options. */
const commandOptions = {
  restore: ['database-url', 'version', 'times'],
  verify: ['previous', 'version', 'times'],
  create: ['version', 'commit'],
};

const isCommand = (name = ''): name is keyof typeof commandOptions => Object.hasOwn(commandOptions, name);

/** Parses the command line. @throws UsageError that names the invalid argument */
function readArguments() {
  const { values, positionals } = parseCommandLine();
  const [command, ...more] = positionals;
  if (!isCommand(command) || more.length > 0)
    throw new UsageError(`The command must be one of ${Object.keys(commandOptions).join(', ')}.`);
  const other = Object.keys(values).find((name) => !commandOptions[command].includes(name));
  if (other) throw new UsageError(`${command} does not take --${other}.`);
  const { version = command === 'create' ? '' : '0.1.0', times = '1' } = values;
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new UsageError('--version must be a version such as 0.1.0.');
  if (!/^[1-9]\d{0,3}$/.test(times) || Number(times) > 1_000)
    throw new UsageError('--times must be a whole number from 1 to 1000.');
  const databaseUrl = values['database-url'] ?? '';
  if (command === 'restore' && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new UsageError('--database-url must be the URL of an empty PostgreSQL database.');
  const { previous = '', commit } = values;
  if (command === 'verify' && !previous)
    throw new UsageError('--previous must be the path to a built checkout of --version.');
  return { command, version, times: Number(times), databaseUrl, previous, commit };
}

function parseCommandLine() {
  const text = { type: 'string' } as const;
  const options = { 'database-url': text, version: text, times: text, previous: text, commit: text };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function main(): Promise<void> {
  const { command, version, times, databaseUrl, previous, commit } = readArguments();
  if (command === 'restore') {
    const { dump, manifest } = readFixture(version);
    report(`restoring ${(manifest.rowCounts['customers']! * times).toLocaleString('en')} customers`);
    await restore(databaseUrl, dump, { times, report });
    report(`done: start Gatehouse with GATEHOUSE_SECRET=${manifest.rootSecret}`);
    return;
  }
  const stopServers = await startBenchServers();
  try {
    if (command === 'verify') return await verifyUpgrade({ version, previous, times, report });
    if (version !== VERSION)
      report(
        `package.json contains ${VERSION}, so the heartbeats in the fixture contain this version instead of ${version}`,
      );
    const head = commit ?? execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    await createFixture(version, head, report);
  } finally {
    await stopServers();
  }
}

await main().catch((error: unknown) => {
  if (error instanceof UsageError) process.stderr.write(`${error.message}\n${USAGE}\n`);
  else if (error instanceof DatabaseNotEmptyError) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`\n${inspect(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
