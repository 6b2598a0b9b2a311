import type { Gatehouse } from '@gatehouse/server';
import type { Cli } from '../cli.js';
import { formatTime, printJson, printNote, printRecord } from '../output.js';
import { printTable } from '../table.js';
import { explainLineError, isUnchanged } from '../console-shared/line-remedies.js';
import { visibleText } from '../console-shared/visible-text.js';
import type { ImportReport, ReportCount } from './import-report.js';
import type { ImportState } from './send-import.js';
import type { SourceRecord } from './source.js';
import { toLines } from './to-lines.js';

type Failure = ImportState['failures']['data'][number];

const PAGE = 200;

/**
 * Reports the lines that did not create or update a customer, and the values that Gatehouse has left out. Reads the
 * records again to find the users of these lines, so that an import need not keep users in memory.
 * @returns the number of these lines that Gatehouse does not list
 */
export async function addFailures(
  client: Gatehouse,
  state: ImportState,
  records: AsyncIterable<SourceRecord>,
  report: ImportReport,
): Promise<number> {
  const { skipped, failed, unchanged, incomplete } = state;
  let unlisted = skipped - unchanged + failed + incomplete;
  if (unlisted === 0) return 0;
  const failures = await listFailures(client, state);
  let line = 0;
  for await (const record of toLines(records)) {
    if (failures.size === 0) break;
    line += 1;
    const failure = failures.get(line);
    if (!record || !failure) continue;
    failures.delete(line);
    const result = failure.status === 'failed' ? 'failed' : 'skipped';
    const errors = failure.errors.filter((error) => !isUnchanged(error));
    if (errors.length + failure.warnings.length > 0) unlisted -= 1;
    for (const error of errors)
      await report.add(record, result, { field: error.field, ...explainLineError(error) });
    for (const warning of failure.warnings)
      await report.add(record, 'left_out', { field: warning.field, ...explainLineError(warning) });
  }
  return unlisted;
}

/** Returns the lines that the import lists, by line number. Gatehouse stores a limited number of them. */
async function listFailures(client: Gatehouse, state: ImportState): Promise<Map<number, Failure>> {
  const failures = new Map<number, Failure>();
  // The response to a dry run already contains all lines.
  let page = state.dryRun ? state.failures : (await client.imports.get(state.id, { limit: PAGE })).failures;
  for (;;) {
    for (const failure of page.data) failures.set(failure.line, failure);
    if (page.nextCursor === null) return failures;
    page = (await client.imports.get(state.id, { limit: PAGE, cursor: page.nextCursor })).failures;
  }
}

const labels: Record<ReportCount['result'], string> = {
  left_out: 'left out',
  not_sent: 'not sent',
  skipped: 'skipped',
  failed: 'failed',
  changed: 'changed',
  only_in_files: 'only in the files',
  only_in_gatehouse: 'only in Gatehouse',
  different: 'different',
};

/** Prints the number of report entries for each reason. */
export async function printReasons(cli: Cli, report: ImportReport): Promise<void> {
  if (report.counts.length === 0) return;
  await printNote(cli, '');
  await printTable(
    cli,
    [
      { title: 'Result', value: ({ result }) => labels[result] },
      { title: 'Count', value: ({ count }) => count, isFixed: true },
      { title: 'Field', value: ({ field }) => field },
      { title: 'Reason', value: ({ reason }) => reason },
      { title: 'What to do', value: ({ remedy }) => remedy },
    ],
    report.counts,
    'Nothing was left out',
  );
}

/** Prints an import's result, and the number of report entries for each reason. */
export async function printSummary(
  cli: Cli,
  state: ImportState,
  report: ImportReport,
  { file, isUpdate, unlisted }: { file: string | null; isUpdate: boolean; unlisted: number },
): Promise<void> {
  const { id, dryRun, created, updated, skipped, failed, unchanged, incomplete, weakHashes } = state;
  if (cli.isJson) {
    const { notSent, withoutEmail, unusedApps } = report;
    const serverCounts = { created, updated, skipped, failed, unchanged, incomplete, weakHashes };
    const counts = { ...serverCounts, notSent, withoutEmail, unusedApps, unnamed: unlisted };
    await printJson(cli, { importId: dryRun ? null : id, dryRun, ...counts, reasons: report.counts });
    return;
  }
  await printRecord(cli, [
    ...(dryRun ? [] : ([['Import', id]] as [string, string][])),
    [dryRun ? 'Would be created' : 'Created', created],
    ...(isUpdate
      ? ([
          [dryRun ? 'Would be updated' : 'Updated', updated],
          ['Unchanged', unchanged],
          ['Skipped', skipped - unchanged],
        ] as [string, number][])
      : ([['Skipped, because the email exists', skipped]] as [string, number][])),
    ['Without some values', incomplete],
    ['Failed', failed],
    ['Not sent', report.notSent],
    ['Not sent, because there is no email', report.withoutEmail],
    ['Weak password hashes', weakHashes],
    ['Authenticator apps without effect', report.unusedApps],
    ['Finished', formatTime(state.finishedAt)],
  ]);
  await printReasons(cli, report);
  if (unlisted > 0)
    await printNote(
      cli,
      `The table and the report do not include ${unlisted} more customers: Gatehouse lists only the first ones of each kind.`,
    );
  if (!isUpdate && skipped > 0)
    await printNote(cli, 'Existing customers were not updated. To update them, pass --update.');
  if (file) await printNote(cli, `Wrote the report to ${visibleText(file)}.`);
}
