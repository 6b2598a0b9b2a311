import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { ExitCode, usageError } from '../../cli-error.js';
import { compareCustomers, type ComparisonResult } from '../../compare/comparison.js';
import { CountedCustomers } from '../../export/read-customers.js';
import { ImportReport } from '../../import/import-report.js';
import { printReasons } from '../../import/import-summary.js';
import { addFileOptions, openFiles, type FileOptions } from '../../import/open-files.js';
import { printJson, printNote, printRecord } from '../../output.js';
import { printTable } from '../../table.js';
import { visibleText } from '../../console-shared/visible-text.js';

interface Options extends FileOptions {
  hashes?: boolean;
}

/** Adds `gatehouse customers compare`. */
export function addCompareCustomersCommand(customers: Command, cli: Cli): void {
  const command = customers
    .command('compare')
    .summary("compare another system's files with a project's customers")
    .description(
      'Compare files from Gatehouse or another system with the customers of a project. Changes nothing. ' +
        'Requires an organization key with the scopes project:read and customer:read.',
    )
    .argument('<file...>', 'files of the export; .gz files are decompressed')
    .option(
      '--hashes',
      'also compare TOTP secrets, and whether customers have a password; requires the scope customer:export_hashes',
    );
  addFileOptions(command, 'each difference');
  command.action((files: string[], options: Options) => compare(cli, files, options));
}

async function compare(cli: Cli, names: string[], options: Options): Promise<void> {
  const client = cli.connect();
  const { reportFile, projectId, records } = await openFiles(cli, client, names, options);
  if (projectId === undefined) throw usageError('The key lacks the scope project:read.');
  const report = new ImportReport(reportFile);
  const withSecrets = options.hashes ?? false;
  const query = withSecrets ? { hashes: true } : {};
  const exported = client.projects.exportCustomers(projectId, query, { signal: cli.signal });
  const customers = new CountedCustomers(cli, exported, true, 'Compared');
  const result = await compareCustomers(records, customers, report, withSecrets);
  await report.close();
  await printResult(cli, result, report);
  if (!withSecrets && !cli.isJson)
    await printNote(cli, 'Passwords and authenticator apps were not compared: pass --hashes.');
  if (options.report !== undefined)
    await printNote(cli, `Wrote the report to ${visibleText(options.report)}.`);
  if (report.counts.length > 0) cli.exitCode = ExitCode.failure;
}

async function printResult(cli: Cli, result: ComparisonResult, report: ImportReport): Promise<void> {
  const { notSent } = report;
  if (cli.isJson) return printJson(cli, { ...result, notSent, reasons: report.counts });
  await printRecord(cli, [
    ['In the files', result.inFiles],
    ['In Gatehouse', result.inGatehouse],
    ['Equal', result.equal],
    ['Different', result.different],
    ['Only in the files', result.onlyInFiles],
    ['Only in Gatehouse', result.onlyInGatehouse],
    ['Cannot be imported', notSent],
  ]);
  if (result.fields.length > 0) {
    await printNote(cli, '');
    await printTable(
      cli,
      [
        { title: 'Field', value: ({ field }) => field },
        { title: 'Only in the files', value: ({ onlyInFiles }) => onlyInFiles, isFixed: true },
        { title: 'Only in Gatehouse', value: ({ onlyInGatehouse }) => onlyInGatehouse, isFixed: true },
        { title: 'Different', value: ({ different }) => different, isFixed: true },
        { title: 'Examples', value: ({ examples }) => examples.join(', ') },
      ],
      result.fields,
      'No field differs',
    );
  }
  await printReasons(cli, report);
}
