import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { GatehouseError, type Gatehouse } from '@gatehouse/server';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { VERSION, type Cli } from '../../cli.js';
import { CliError, ExitCode, usageError } from '../../cli-error.js';
import { deadProviderError, findDeadProvider } from '../../import/dead-providers.js';
import { IdentitySlugs, type Provider } from '../../import/identity-slugs.js';
import { deriveImportId } from '../../import/import-id.js';
import { ImportReport } from '../../import/import-report.js';
import { addFailures, printSummary } from '../../import/import-summary.js';
import { setEncoding } from '../../import/read-text.js';
import { findImport, sendImport, type ImportState } from '../../import/send-import.js';
import { mfaChoices, prepareMfa, reportUnusedApp, type Mfa } from '../../import/second-factors.js';
import type { ImportSource, SourceOption, SourceRecord } from '../../import/source.js';
import { sources } from '../../import/sources.js';
import { toLines } from '../../import/to-lines.js';
import { withoutBan } from '../../import/without-ban.js';
import { isEncoding } from '../../import-shared/decode-text.js';
import { printNote } from '../../output.js';
import { findProject } from '../../project.js';

/** The options of commands that read files of another system. */
export interface FileOptions {
  from: string;
  provider?: string[];
  encoding?: string;
  report?: string;
  /** The options of the sources. */
  [name: string]: unknown;
}

interface Options extends FileOptions {
  dryRun?: boolean;
  importId?: string;
  update?: boolean;
  emitEvents?: boolean;
  allowFastHashes?: boolean;
  setMfa?: (typeof mfaChoices)[number];
}

/** Adds `gatehouse customers import`. */
export function addImportCustomersCommand(customers: Command, cli: Cli): void {
  const command = customers
    .command('import')
    .summary('import customers, also from other systems')
    .description(
      'Import customers from files of Gatehouse or of another system. ' +
        'Requires the scope customer:write, and project:read to check identity providers.',
    )
    .argument('<file...>', 'files of the export; .gz files are decompressed')
    .addOption(
      new Option('--from <system>', 'system that has exported the files')
        .choices(sources.map(({ name }) => name))
        .default(sources[0]!.name),
    )
    .option('--dry-run', 'convert and check everything, and import nothing')
    .option(
      '--provider <name=slug>',
      'identity provider of the project for a provider of the system; repeatable',
      collectProvider,
    )
    .option(
      '--report <file>',
      'file to create with what was left out or failed: CSV if its name ends with .csv, otherwise NDJSON',
    )
    .option(
      '--encoding <name>',
      'encoding of files without a byte order mark, such as windows-1252; default: utf-8',
      parseEncoding,
    )
    .option('--import-id <uuid>', 'id of the import; default: one that depends on the files', parseUuid)
    .option(
      '--update',
      'update the customers that exist with newer records of the files; without it, they stay unchanged',
    )
    .option('--emit-events', 'emit customer.created for each customer, and the events of updates')
    .addOption(
      new Option(
        '--set-mfa <mfa>',
        'change mfa of the project, so that sign-ins require imported authenticator apps; requires project:write',
      ).choices(mfaChoices),
    )
    .option(
      '--allow-fast-hashes',
      'also import password hashes with salted SHA, which are fast to guess, until the first sign-in replaces them',
    );
  addSourceOptions(command);
  command
    .addHelpText(
      'after',
      `\nFiles:\n${sources.map(({ name, files }) => `  ${name.padEnd(11)} ${files}`).join('\n')}`,
    )
    .action((files: string[], options: Options) => importCustomers(cli, files, options));
}

const collect = (text: string, previous: string[] = []): string[] => [...previous, text];

/** Adds the options of all sources. Several sources can have the same one. */
export function addSourceOptions(command: Command): void {
  const collected = new Map<string, { option: SourceOption; names: string[] }>();
  for (const { name, options = [] } of sources)
    for (const option of options)
      collected.set(option.flags, { option, names: [...(collected.get(option.flags)?.names ?? []), name] });
  for (const { option, names } of collected.values()) {
    const { flags, description, isRepeatable } = option;
    const added = new Option(flags, `${description} (--from ${names.join(', ')})`);
    command.addOption(isRepeatable ? added.argParser(collect) : added);
  }
}

export const collectProvider = (text: string, previous: string[] = []): string[] => {
  if (!/^[^=]+=[^=]+$/.test(text))
    throw new InvalidArgumentError('Use <name>=<slug>, such as google-oauth2=google.');
  return collect(text, previous);
};

function parseEncoding(text: string): string {
  if (isEncoding(text)) return text;
  throw new InvalidArgumentError(
    'Use a name such as utf-8, windows-1252, iso-8859-2, shift_jis or utf-16le.',
  );
}

function parseUuid(text: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError('Use a UUID in lower case.');
}

/** The files of a command, and how they are read. */
export interface OpenedFiles {
  /** All files that decide what is read. */
  inputs: string[];
  reportFile: string | null;
  projectId: string | undefined;
  /** The setting `mfa` of the project, or null if the key cannot read it. */
  currentMfa: Mfa | null;
  slugs: IdentitySlugs;
  /** The settings on which the records depend. */
  settings: unknown[];
  /** Returns the records from the first one. */
  records: () => AsyncIterable<SourceRecord>;
}

/** Returns how the files of another system are read. @throws CliError for files or options that are wrong */
export async function openFiles(
  cli: Cli,
  client: Gatehouse,
  names: string[],
  options: FileOptions,
): Promise<OpenedFiles> {
  const source = sources.find(({ name }) => name === options.from)!;
  const files = names.map((name) => resolve(cli.cwd, name));
  const { values, lists, optionFiles } = readSourceOptions(cli, source, options);
  const inputs = [...files, ...Object.values(optionFiles)];
  for (const file of inputs) {
    assertFile(file);
    setEncoding(file, options.encoding ?? 'utf-8');
  }
  const reportFile = options.report === undefined ? null : resolve(cli.cwd, options.report);
  if (reportFile) assertNoInput(reportFile, inputs);
  const { projectId, providers, mfa: currentMfa } = await readProject(cli, client);
  const slugs = createSlugs(source, options.provider ?? [], providers);
  const given = { ...values, ...lists, encoding: options.encoding };
  const settings = [VERSION, source.name, given, projectId, slugs.fingerprint];
  const sourceOptions = { values: { ...values, ...optionFiles }, lists, note: createNote(cli) };
  const records = (): AsyncIterable<SourceRecord> => resolveAll(source.read(files, sourceOptions), slugs);
  return { inputs, reportFile, projectId, currentMfa, slugs, settings, records };
}

async function importCustomers(cli: Cli, names: string[], options: Options): Promise<void> {
  const client = cli.connect();
  const opened = await openFiles(cli, client, names, options);
  const { inputs, reportFile, projectId, currentMfa, slugs, settings } = opened;
  const allowFastHashes = options.allowFastHashes ?? false;
  const isUpdate = options.update ?? false;
  const modes = [allowFastHashes, ...(isUpdate ? ['update'] : [])];
  const importId = options.importId ?? (await deriveImportId(inputs, [...settings, ...modes]));
  const previous = options.dryRun ? null : await findImport(client, importId);
  const createReport = (): ImportReport => new ImportReport(reportFile);
  // A report that cannot be written fails before anything is imported.
  await createReport().close();
  const mfa = await prepareMfa(cli, client, {
    ...{ projectId, mfa: currentMfa, wanted: options.setMfa },
    dryRun: options.dryRun ?? false,
  });
  // Only records of Gatehouse state themselves that a customer is not disabled.
  const statesBan = !isUpdate || options.from === sources[0]!.name;
  const records = (): AsyncIterable<SourceRecord> => {
    const reported = reportUnusedApps(opened.records(), mfa);
    return statesBan ? reported : withoutBans(reported);
  };
  // The default id contains the files, which are therefore the same.
  if (options.importId && isFinished(previous)) await assertSameLength(previous, records());
  if (isFinished(previous)) await noteFinished(cli, previous);
  const { state, report } =
    isFinished(previous) && !options.importId
      ? { state: previous, report: await readAgain(records(), createReport()) }
      : await sendImport(cli, client, {
          ...{ importId, projectId, records, createReport },
          emitEvents: options.emitEvents ?? false,
          update: isUpdate,
          dryRun: options.dryRun ?? false,
          allowFastHashes,
        });
  await addFailures(client, state, records(), report);
  await report.close();
  await printSummary(cli, state, report, { file: options.report ?? null, isUpdate });
  await warnOfClients(cli, slugs);
  // A script must notice everything that was not carried over.
  const { created, updated, unchanged } = state;
  if (created + updated + unchanged === 0 || report.counts.length > 0) cli.exitCode = ExitCode.failure;
}

/** @throws CliError for a file that does not exist, or that cannot be read several times */
function assertFile(file: string): void {
  if (!existsSync(file)) throw usageError(`The file ${file} does not exist.`);
  if (!statSync(file).isFile())
    throw usageError(`${file} is not a regular file, and an import reads its files several times.`);
}

/** @throws CliError if the report would replace one of the files */
function assertNoInput(reportFile: string, inputs: readonly string[]): void {
  if (existsSync(reportFile) && inputs.some((file) => realpathSync(file) === realpathSync(reportFile)))
    throw usageError(`The report would replace ${reportFile}, which is to be imported.`);
}

const isFinished = (state: ImportState | null): state is ImportState => state?.state === 'completed';

/**
 * Gatehouse compares the lines of a complete import, but continues it with further ones.
 * @throws CliError if the files have another number of lines
 */
async function assertSameLength(
  { id, lastLine }: ImportState,
  records: AsyncIterable<SourceRecord>,
): Promise<void> {
  let lines = 0;
  for await (const _ of toLines(records)) lines += 1;
  if (lines === lastLine) return;
  throw new CliError(`The import ${id} is complete, and was made of other files.`, {
    fix: 'Run the command without --import-id, or with another one.',
  });
}

const noteFinished = (cli: Cli, { finishedAt }: ImportState): Promise<void> =>
  printNote(
    cli,
    `These files were imported at ${finishedAt}. To import them again, pass --import-id ${randomUUID()}.`,
  );

/** Returns the report of an import that an earlier command has completed. */
async function readAgain(records: AsyncIterable<SourceRecord>, report: ImportReport): Promise<ImportReport> {
  for await (const record of records) await report.addRecord(record);
  return report;
}

/** Returns the project, its identity providers and its setting `mfa`, or null for what the key cannot read. */
async function readProject(
  cli: Cli,
  client: Gatehouse,
): Promise<{ projectId: string | undefined; providers: Provider[] | null; mfa: Mfa | null }> {
  try {
    const projectId = await findProject(cli, client);
    const { settings } = await client.projects.get(projectId, {}, { signal: cli.signal });
    const providers: Provider[] = [];
    for await (const provider of client.identityProviders.list(projectId, {}, { signal: cli.signal }))
      providers.push(provider);
    return { projectId, providers, mfa: settings.mfa };
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'insufficient_scope') throw error;
    await printNote(
      cli,
      'The key lacks the scope project:read, so a customer with an identity of an unknown provider fails.',
    );
    return { projectId: cli.settings().projectId, providers: null, mfa: null };
  }
}

function createSlugs(source: ImportSource, pairs: string[], providers: Provider[] | null): IdentitySlugs {
  const mapped = pairs.map((pair) => pair.split('=') as [string, string]);
  const { deadProviders = {} } = source;
  for (const [name] of mapped) {
    const dead = findDeadProvider(deadProviders, name);
    if (dead) throw deadProviderError(name, dead);
  }
  const missing =
    providers && mapped.find(([, slug]) => !providers.some((provider) => provider.slug === slug));
  if (missing)
    throw usageError(
      `The project has no identity provider with the slug ${missing[1]}.`,
      `Its identity providers: ${providers.map(({ slug }) => slug).join(', ') || 'none'}. Create it first.`,
    );
  const slugs = new Map([...Object.entries(source.providers), ...mapped]);
  // The records of Gatehouse contain slugs, and the server reports those that do not exist.
  if (source === sources[0]) return new IdentitySlugs(slugs, null, { keepsNames: true });
  const passedNames = new Set(mapped.map(([name]) => name));
  return new IdentitySlugs(slugs, providers, { deadProviders, passedNames });
}

/** The options of a source that were passed, by their names in camel case. */
interface PassedOptions {
  values: Record<string, string>;
  lists: Record<string, string[]>;
  /** The paths of those that name a file, whose content decides what is imported. */
  optionFiles: Record<string, string>;
}

/** @throws CliError for an option of another source */
function readSourceOptions(cli: Cli, source: ImportSource, options: FileOptions): PassedOptions {
  const passed: PassedOptions = { values: {}, lists: {}, optionFiles: {} };
  for (const { name, options: own = [] } of sources)
    for (const { flags } of own) {
      const attribute = new Option(flags).attributeName();
      const value = options[attribute] as string | string[] | undefined;
      if (value === undefined) continue;
      if (name !== source.name) {
        if (!source.options?.some((each) => each.flags === flags))
          throw usageError(`${flags} requires --from ${name}.`);
      } else if (Array.isArray(value)) passed.lists[attribute] = value;
      else if (flags.endsWith('<file>')) passed.optionFiles[attribute] = resolve(cli.cwd, value);
      else passed.values[attribute] = value;
    }
  return passed;
}

async function* resolveAll(
  records: AsyncIterable<SourceRecord>,
  slugs: IdentitySlugs,
): AsyncGenerator<SourceRecord> {
  for await (const record of records) yield slugs.resolve(record);
}

async function* withoutBans(records: AsyncIterable<SourceRecord>): AsyncGenerator<SourceRecord> {
  for await (const record of records) yield withoutBan(record);
}

async function* reportUnusedApps(
  records: AsyncIterable<SourceRecord>,
  mfa: Mfa | null,
): AsyncGenerator<SourceRecord> {
  for await (const record of records) yield reportUnusedApp(record, mfa);
}

/** Returns a function that prints each note once, because an import reads its files several times. */
function createNote(cli: Cli): (text: string) => Promise<void> {
  const printed = new Set<string>();
  return async (text) => {
    if (printed.has(text)) return;
    printed.add(text);
    await printNote(cli, text);
  };
}

/** Prints what identities of Microsoft and Apple require: both issue other ids to another client. */
async function warnOfClients(cli: Cli, { usedTypes }: IdentitySlugs): Promise<void> {
  if (usedTypes.has('microsoft'))
    await printNote(
      cli,
      'Identities of Microsoft work only with the app registration of the previous system.',
    );
  if (usedTypes.has('apple'))
    await printNote(cli, 'Identities of Apple work only with the developer team of the previous system.');
}
