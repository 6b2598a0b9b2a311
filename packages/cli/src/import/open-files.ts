import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { GatehouseError, type Gatehouse } from '@gatehouse/server';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { VERSION, type Cli } from '../cli.js';
import { usageError } from '../cli-error.js';
import { withIdPrefix } from './id-prefix.js';
import { isEncoding } from '../console-shared/decode-text.js';
import { printNote } from '../output.js';
import { getProjectId } from '../project.js';
import { visibleText } from '../console-shared/visible-text.js';
import { unusableProviderError, findUnusableProvider } from './unusable-providers.js';
import { IdentitySlugs, type Provider } from './identity-slugs.js';
import { isProbablyUtf8, setEncoding } from './read-text.js';
import type { Mfa } from './second-factors.js';
import type { ImportSource, SourceOption, SourceRecord } from './source.js';
import { sources } from './sources.js';

/** The options of commands that read files from another system. */
export interface FileOptions {
  from: string;
  provider?: string[];
  encoding?: string;
  externalIdPrefix?: string;
  report?: string;
  /** The source-specific options. */
  [name: string]: unknown;
}

/**
 * Adds the options in `FileOptions`, and describes each system's files in the help.
 * @param reported the `--report` file's content
 */
export function addFileOptions(command: Command, reported: string): void {
  command
    .addOption(
      new Option('--from <system>', 'system that exported the files')
        .choices(sources.map(({ name }) => name))
        .default(sources[0]!.name),
    )
    .option(
      '--provider <name=slug>',
      'identity provider in the project that matches a provider in the system; repeatable',
      collectProvider,
    )
    .option(
      '--report <file>',
      `file to create with ${reported}: CSV if its name ends with .csv, otherwise NDJSON`,
    )
    .option(
      '--encoding <name>',
      'encoding of files without a byte order mark, such as windows-1252; default: utf-8',
      parseEncoding,
    )
    .option(
      '--external-id-prefix <text>',
      "prefix for each user's id in externalId, so that equal ids from different systems stay distinct",
      parseIdPrefix,
    );
  addSourceOptions(command);
  command.addHelpText(
    'after',
    `\nFiles:\n${sources.map(({ name, files }) => `  ${name.padEnd(11)} ${files}`).join('\n')}`,
  );
}

const collect = (text: string, previous: string[] = []): string[] => [...previous, text];

/** Adds the options of all sources. Several sources can have the same option. */
function addSourceOptions(command: Command): void {
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

const collectProvider = (text: string, previous: string[] = []): string[] => {
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

function parseIdPrefix(text: string): string {
  if (/^[!-~]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('Use 1 to 64 characters of ASCII without spaces, such as shop-.');
}

/** A command's files, and a function that reads them. */
export interface OpenedFiles {
  /** All files on which the records depend. */
  inputs: string[];
  reportFile: string | null;
  projectId: string | undefined;
  /** The project setting `mfa`, or null if the key cannot read it. */
  currentMfa: Mfa | null;
  slugs: IdentitySlugs;
  /** The settings on which the records depend. */
  settings: unknown[];
  /** Returns all records; can be called several times. */
  records: () => AsyncIterable<SourceRecord>;
}

/**
 * Checks a command's files and options, and returns a function that reads the records.
 * @throws CliError for wrong files or options
 */
export async function openFiles(
  cli: Cli,
  client: Gatehouse,
  names: string[],
  options: FileOptions,
): Promise<OpenedFiles> {
  const source = sources.find(({ name }) => name === options.from)!;
  const files = names.map((name) => resolve(cli.cwd, name));
  const { encoding, externalIdPrefix } = options;
  const { values, lists, optionFiles } = readSourceOptions(cli, source, options);
  const inputs = [...files, ...Object.values(optionFiles)];
  for (const file of inputs) {
    assertFile(file);
    setEncoding(file, encoding ?? 'utf-8');
  }
  await warnAboutUtf8(cli, inputs, encoding);
  const reportFile = options.report === undefined ? null : resolve(cli.cwd, options.report);
  if (reportFile) assertIsNotInput(reportFile, inputs);
  const { projectId, providers, mfa: currentMfa } = await readProject(cli, client);
  const slugs = createSlugs(source, options.provider ?? [], providers);
  const passedValues = { ...values, ...lists, encoding, externalIdPrefix };
  const settings = [VERSION, source.name, passedValues, projectId, slugs.fingerprint];
  const sourceOptions = { values: { ...values, ...optionFiles }, lists, note: createNote(cli) };
  const records = (): AsyncIterable<SourceRecord> =>
    resolveAll(source.read(files, sourceOptions), slugs, externalIdPrefix ?? '');
  return { inputs, reportFile, projectId, currentMfa, slugs, settings, records };
}

/** Checks a file. @throws CliError if it does not exist, or cannot be read several times */
function assertFile(file: string): void {
  if (!existsSync(file)) throw usageError(`The file ${file} does not exist.`);
  if (!statSync(file).isFile())
    throw usageError(`${file} is not a regular file, but an import reads its files several times.`);
}

/** Prints a note for each UTF-8 file that the passed encoding would garble. */
async function warnAboutUtf8(cli: Cli, files: readonly string[], encoding = 'utf-8'): Promise<void> {
  if (new TextDecoder(encoding).encoding === 'utf-8') return;
  for (const file of files)
    if (await isProbablyUtf8(file))
      await printNote(
        cli,
        `${visibleText(file)} is valid UTF-8, but is read as ${encoding}. If its names become unreadable, run the command without --encoding.`,
      );
}

/** Checks the report file. @throws CliError if the report would replace one of the inputs */
function assertIsNotInput(reportFile: string, inputs: readonly string[]): void {
  if (existsSync(reportFile) && inputs.some((file) => realpathSync(file) === realpathSync(reportFile)))
    throw usageError(`The report would replace ${reportFile}, which is a file to import.`);
}

/** Returns the project, its identity providers and its setting `mfa`, or null for values that the key cannot read. */
async function readProject(
  cli: Cli,
  client: Gatehouse,
): Promise<{ projectId: string | undefined; providers: Provider[] | null; mfa: Mfa | null }> {
  try {
    const projectId = await getProjectId(cli, client);
    const { settings } = await client.projects.get(projectId, {}, { signal: cli.signal });
    const providers: Provider[] = [];
    for await (const provider of client.identityProviders.list(projectId, {}, { signal: cli.signal }))
      providers.push(provider);
    return { projectId, providers, mfa: settings.mfa };
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'insufficient_scope') throw error;
    await printNote(
      cli,
      'The key lacks the scope project:read, so importing a customer with an identity of an unknown provider fails.',
    );
    return { projectId: cli.settings().projectId, providers: null, mfa: null };
  }
}

function createSlugs(source: ImportSource, pairs: string[], providers: Provider[] | null): IdentitySlugs {
  const mapped = pairs.map((pair) => pair.split('=') as [string, string]);
  const { unusableProviders = {} } = source;
  for (const [name] of mapped) {
    const reason = findUnusableProvider(unusableProviders, name);
    if (reason) throw unusableProviderError(name, reason);
  }
  const missing =
    providers && mapped.find(([, slug]) => !providers.some((provider) => provider.slug === slug));
  if (missing)
    throw usageError(
      `The project has no identity provider with the slug ${missing[1]}.`,
      `Its identity providers: ${providers.map(({ slug }) => slug).join(', ') || 'none'}. Create it first.`,
    );
  const slugs = new Map([...Object.entries(source.providers), ...mapped]);
  // Records in Gatehouse's own format contain slugs, and the server reports those that do not exist.
  if (source === sources[0]) return new IdentitySlugs(slugs, null, { keepsNames: true });
  const passedNames = new Set(mapped.map(([name]) => name));
  return new IdentitySlugs(slugs, providers, { unusableProviders, passedNames });
}

/** The options of a source that were passed, by name in camel case. */
interface PassedOptions {
  values: Record<string, string>;
  lists: Record<string, string[]>;
  /** The paths of files that were passed as options. Their content affects the import. */
  optionFiles: Record<string, string>;
}

/** Returns a source's passed options. @throws CliError for an option that belongs to another source */
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
  idPrefix: string,
): AsyncGenerator<SourceRecord> {
  for await (const record of records) {
    const resolved = slugs.resolve(record);
    yield idPrefix === '' ? resolved : withIdPrefix(resolved, idPrefix);
  }
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
