import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Cli } from '../../cli.js';
import { CliError, ExitCode } from '../../cli-error.js';
import { ALLOW_FAST_HASHES, UPDATE, type OptionText } from '../../console-shared/option-texts.js';
import type { IdentitySlugs } from '../../import/identity-slugs.js';
import { deriveImportId } from '../../import/import-id.js';
import { ImportReport } from '../../import/import-report.js';
import { addFailures, printSummary } from '../../import/import-summary.js';
import { addFileOptions, openFiles, type FileOptions } from '../../import/open-files.js';
import { rejectRepeatedIds } from '../../import/repeated-ids.js';
import { mfaChoices, planMfa, reportUnusedApp, type Mfa } from '../../import/second-factors.js';
import { getImport, sendImport, type ImportState } from '../../import/send-import.js';
import type { SourceRecord } from '../../import/source.js';
import { sources } from '../../import/sources.js';
import { toLines } from '../../import/to-lines.js';
import { withoutBan } from '../../import/without-ban.js';
import { printNote } from '../../output.js';

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
    .summary('import customers from Gatehouse or another system')
    .description(
      'Import customers from files that Gatehouse or another system exported. ' +
        'Requires the scope customer:write, and project:read to check identity providers.',
    )
    .argument('<file...>', 'files of the export; .gz files are decompressed')
    .option('--dry-run', 'convert and check everything, and import nothing')
    .option('--import-id <uuid>', 'id of the import; default: derived from the files', parseUuid)
    .option('--update', toHelp(UPDATE))
    .option('--emit-events', 'emit customer.created for each new customer, and the events for updates')
    .addOption(
      new Option(
        '--set-mfa <mfa>',
        'change the project setting mfa, so that sign-ins require imported authenticator apps; requires project:write',
      ).choices(mfaChoices),
    )
    .option('--allow-fast-hashes', toHelp(ALLOW_FAST_HASHES));
  addFileOptions(command, 'the values that were left out, and the users that were not imported');
  command.action((files: string[], options: Options) => importCustomers(cli, files, options));
}

const toHelp = ({ action, consequence }: OptionText): string => `${action}; ${consequence}`;

function parseUuid(text: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError('Use a UUID in lower case.');
}

async function importCustomers(cli: Cli, names: string[], options: Options): Promise<void> {
  const client = cli.connect();
  const opened = await openFiles(cli, client, names, options);
  const { inputs, reportFile, projectId, currentMfa, slugs, settings } = opened;
  const allowFastHashes = options.allowFastHashes ?? false;
  const isUpdate = options.update ?? false;
  const modes = [allowFastHashes, ...(isUpdate ? ['update'] : [])];
  const importId = options.importId ?? (await deriveImportId(inputs, [...settings, ...modes]));
  const previous = options.dryRun ? null : await getImport(client, importId);
  const createReport = (): ImportReport => new ImportReport(reportFile);
  // Fails before anything is imported if the report cannot be written.
  await createReport().close();
  const { mfa, apply: applyMfa } = await planMfa(cli, client, {
    ...{ projectId, mfa: currentMfa, wanted: options.setMfa },
    dryRun: options.dryRun ?? false,
  });
  // Records from other systems have no `disabledAt` for users who are not banned. An update must set it to null, so
  // that it enables customers whose ban has been lifted.
  const setsNullForUnbanned = isUpdate && options.from !== sources[0]!.name;
  const records = (): AsyncIterable<SourceRecord> => {
    const read = isUpdate ? rejectRepeatedIds(opened.records()) : opened.records();
    const reported = reportUnusedApps(read, mfa);
    return setsNullForUnbanned ? withoutBans(reported) : reported;
  };
  // The default id is derived from the files, so only an explicit id can belong to an import of different files.
  if (options.importId && isFinished(previous)) await assertSameLength(previous, records());
  if (!options.importId && isFinished(previous)) await noteFinished(cli, previous);
  const { state, report } =
    isFinished(previous) && !options.importId
      ? { state: previous, report: await rebuildReport(records(), createReport()) }
      : await sendImport(cli, client, {
          ...{ importId, projectId, records, createReport },
          emitEvents: options.emitEvents ?? false,
          update: isUpdate,
          dryRun: options.dryRun ?? false,
          allowFastHashes,
        });
  const unlisted = await addFailures(client, state, records(), report);
  await report.close();
  await printSummary(cli, state, report, { file: options.report ?? null, isUpdate, unlisted });
  await printProviderNotes(cli, slugs);
  await applyMfa();
  // Scripts need the exit code to notice values that were not imported.
  const { created, updated, unchanged } = state;
  if (created + updated + unchanged === 0 || report.counts.length > 0) cli.exitCode = ExitCode.failure;
}

const isFinished = (state: ImportState | null): state is ImportState => state?.state === 'completed';

/**
 * Checks that the files have as many lines as the completed import. If an import is repeated, Gatehouse compares
 * only the lines that it has already received. It would import any additional lines.
 * @throws CliError if the files have a different number of lines
 */
async function assertSameLength(
  { id, lastLine }: ImportState,
  records: AsyncIterable<SourceRecord>,
): Promise<void> {
  let lines = 0;
  for await (const _ of toLines(records)) lines += 1;
  if (lines === lastLine) return;
  throw new CliError(`The import ${id} is already complete, and was created from different files.`, {
    fix: 'Run the command without --import-id, or with another id.',
  });
}

const noteFinished = (cli: Cli, { finishedAt }: ImportState): Promise<void> =>
  printNote(
    cli,
    `These files were imported at ${finishedAt}. To import them again, pass --import-id ${randomUUID()}.`,
  );

/** Returns the report of an import that an earlier command completed. */
async function rebuildReport(
  records: AsyncIterable<SourceRecord>,
  report: ImportReport,
): Promise<ImportReport> {
  for await (const record of records) await report.addRecord(record);
  return report;
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

/**
 * Prints the requirements for Microsoft and Apple identities: both providers issue different ids to different clients.
 */
async function printProviderNotes(cli: Cli, { usedTypes }: IdentitySlugs): Promise<void> {
  if (usedTypes.has('microsoft'))
    await printNote(cli, 'Microsoft identities work only with the app registration of the previous system.');
  if (usedTypes.has('apple'))
    await printNote(cli, 'Apple identities work only with the developer team of the previous system.');
}
