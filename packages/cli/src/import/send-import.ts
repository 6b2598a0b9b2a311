import { setTimeout as delay } from 'node:timers/promises';
import { GatehouseError, type Gatehouse, type ImportedCustomer } from '@gatehouse/server';
import type { Cli } from '../cli.js';
import { CliError, ExitCode } from '../cli-error.js';
import { createProgress, printNote, type Progress } from '../output.js';
import type { ImportReport } from './import-report.js';
import { toLines } from './to-lines.js';
import type { SourceRecord } from './source.js';

/** The import as the API returns it, with the lines that it lists. */
export type ImportState = Awaited<ReturnType<Gatehouse['imports']['get']>>;

export interface ImportRequest {
  importId: string;
  projectId: string | undefined;
  emitEvents: boolean;
  /** True to update existing customers. */
  update: boolean;
  dryRun: boolean;
  allowFastHashes: boolean;
  /** Returns all records. Called for each request, because a repeated request sends all of them. */
  records: () => AsyncIterable<SourceRecord>;
  /** Creates the report of one request. It replaces the previous request's report. */
  createReport: () => ImportReport;
}

/** Number of consecutive requests without an imported line after which the command gives up. */
const MAX_FAILURES = 8;
const LONGEST_WAIT_MS = 30_000;
const PROGRESS_MS = 1_000;

/**
 * Sends all records. If the connection breaks, sends the request again, which continues after the last imported line.
 * @throws GatehouseError; CliError with exit code 130 if the user interrupts it
 */
export async function sendImport(
  cli: Cli,
  client: Gatehouse,
  request: ImportRequest,
): Promise<{ state: ImportState; report: ImportReport }> {
  let lastLine = 0;
  for (let failures = 0; ; failures += 1) {
    const report = request.createReport();
    try {
      return { state: await sendOnce(cli, client, request, report), report };
    } catch (error) {
      await report.close();
      const reached = await findLastLine(client, request);
      if (reached > lastLine) [lastLine, failures] = [reached, 0];
      if (cli.signal.aborted) throw await explainInterruption(cli, request, lastLine);
      if (!isTemporary(error, request) || failures >= MAX_FAILURES) throw await addHint(cli, error, lastLine);
      const waitMs = Math.min(1_000 * 2 ** failures, LONGEST_WAIT_MS);
      await printNote(
        cli,
        `The connection ended after line ${lastLine}. Trying again in ${waitMs / 1_000} s.`,
      );
      await cli.wait(waitMs);
      if (cli.signal.aborted) throw await explainInterruption(cli, request, lastLine);
    }
  }
}

async function sendOnce(
  cli: Cli,
  client: Gatehouse,
  request: ImportRequest,
  report: ImportReport,
): Promise<ImportState> {
  const { importId, projectId, emitEvents, update, dryRun, allowFastHashes, records } = request;
  const sent = { count: 0 };
  const stopProgress = showProgress(cli, client, request, sent);
  try {
    const query = {
      importId,
      ...(projectId && { projectId }),
      ...(emitEvents && { emitEvents }),
      ...(update && { update }),
      ...(dryRun && { dryRun }),
      ...(allowFastHashes && { allowFastHashes }),
    };
    return await client.customers.importLines(toCustomers(records(), report, sent), query, {
      signal: cli.signal,
    });
  } finally {
    await stopProgress();
  }
}

/** Yields each line's customer, and adds the values that were left out to the report. */
async function* toCustomers(
  records: AsyncIterable<SourceRecord>,
  report: ImportReport,
  sent: { count: number },
): AsyncGenerator<ImportedCustomer | null> {
  for await (const record of toLines(records, (leftOut) => report.addRecord(leftOut))) {
    sent.count += 1;
    yield record?.customer ?? null;
  }
}

/** Shows the progress on a terminal. @returns a function that ends it */
function showProgress(
  cli: Cli,
  client: Gatehouse,
  request: ImportRequest,
  sent: { count: number },
): () => Promise<void> {
  const progress = createProgress(cli);
  if (cli.stderr.isTTY !== true) return () => Promise.resolve();
  const end = new AbortController();
  const start = { at: Date.now(), lines: null as number | null };
  const update = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await delay(PROGRESS_MS, undefined, { signal: end.signal }).catch(() => undefined);
      if (end.signal.aborted) return;
      // A dry run is not stored.
      const state = request.dryRun
        ? null
        : await getImport(client, request.importId, end.signal).catch(() => null);
      if (!end.signal.aborted)
        updateProgress(progress, start, state?.lastLine ?? sent.count, state?.failed ?? 0);
    }
  };
  const updates = update();
  return async () => {
    end.abort();
    await updates;
    progress.clear();
  };
}

function updateProgress(
  progress: Progress,
  start: { at: number; lines: number | null },
  lines: number,
  failed: number,
): void {
  start.lines ??= lines;
  const seconds = (Date.now() - start.at) / 1_000;
  const rate = Math.round((lines - start.lines) / seconds);
  progress.update(`${lines} customers processed, ${failed} failed, ${rate} per second`);
}

/** Returns an import, or null if it has not been started. @throws GatehouseError */
export async function getImport(
  client: Gatehouse,
  importId: string,
  signal?: AbortSignal,
): Promise<ImportState | null> {
  try {
    return await client.imports.get(importId, { limit: 1 }, { ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Returns the number of the last imported line, or 0 if it is unknown, such as while Gatehouse is unavailable. */
async function findLastLine(client: Gatehouse, { importId, dryRun }: ImportRequest): Promise<number> {
  if (dryRun) return 0;
  return (await getImport(client, importId).catch(() => null))?.lastLine ?? 0;
}

/** Returns true if a retry of the request can succeed. */
function isTemporary(error: unknown, { dryRun }: ImportRequest): boolean {
  if (!(error instanceof GatehouseError)) return false;
  const { code, status } = error;
  return status >= 500 || status === 429 || code === 'request_timeout' || (dryRun && code === 'conflict');
}

async function explainInterruption(cli: Cli, { dryRun }: ImportRequest, lastLine: number): Promise<CliError> {
  const message = dryRun
    ? 'Interrupted. Nothing was imported.'
    : `Interrupted after line ${lastLine}. Run the same command again to continue.`;
  await printNote(cli, message);
  return new CliError(message, { exitCode: ExitCode.interrupted });
}

/** Prints how to continue a failed import. @returns the error */
async function addHint(cli: Cli, error: unknown, lastLine: number): Promise<unknown> {
  const next =
    error instanceof CliError || (error instanceof GatehouseError && error.code === 'conflict')
      ? 'Correct the problem and run the command again: existing customers are skipped.'
      : 'Run the same command again to continue.';
  if (lastLine > 0) await printNote(cli, `The import ended after line ${lastLine}. ${next}`);
  return error;
}
