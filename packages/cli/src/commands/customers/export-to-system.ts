import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Cli } from '../../cli.js';
import { ExitCode, usageError } from '../../cli-error.js';
import { CountedCustomers } from '../../export/read-customers.js';
import { TargetFolder } from '../../export/target-folder.js';
import type { ExportedCustomer, ExportTarget, TargetOptions } from '../../export/target.js';
import { targets } from '../../export/targets.js';
import { ImportReport } from '../../import/import-report.js';
import { printReasons } from '../../import/import-summary.js';
import { printJson, printRecord } from '../../output.js';
import { getProjectId } from '../../project.js';

/** The options of `gatehouse customers export` that apply to `--to`. */
export interface SystemOptions {
  to?: string;
  force?: boolean;
  provider?: [slug: string, name: string][];
  report?: string;
  /** The target-specific options. */
  [name: string]: unknown;
}

export const collectProviderName = (
  text: string,
  previous: [string, string][] = [],
): [slug: string, name: string][] => {
  const [slug, name] = text.split('=', 2);
  if (!slug || !name || text.split('=').length !== 2)
    throw new InvalidArgumentError('Use <slug>=<name>, such as google=google-oauth2.');
  return [...previous, [slug, name]];
};

/**
 * Returns the target system for --to, or null without it.
 * @throws CliError for an option that belongs to another system
 */
export function getTarget(options: SystemOptions): ExportTarget | null {
  if (options.to === undefined && (options.provider || options.report !== undefined))
    throw usageError('--provider and --report require --to.');
  for (const { name, options: own = [] } of targets)
    for (const { flags } of own)
      if (options[new Option(flags).attributeName()] !== undefined && name !== options.to)
        throw usageError(`${flags} requires --to ${name}.`);
  return targets.find(({ name }) => name === options.to) ?? null;
}

/** Exports the customers to files for another system, and reports the values that the system does not receive. */
export async function exportToSystem(
  cli: Cli,
  target: ExportTarget,
  name: string | undefined,
  options: SystemOptions,
): Promise<void> {
  if (name === undefined) throw usageError('--to requires the name of a folder.');
  const client = cli.connect();
  const projectId = await getProjectId(cli, client);
  const folder = new TargetFolder(resolve(cli.cwd, name), target.files);
  await folder.create(options.force ?? false);
  const report = new ImportReport(options.report === undefined ? null : resolve(cli.cwd, options.report));
  const exported = client.projects.exportCustomers(projectId, { hashes: true }, { signal: cli.signal });
  const customers = new CountedCustomers(cli, exported, true);
  try {
    const incomplete = await writeAll(customers, target, toTargetOptions(target, options), folder, report);
    const files = await folder.finish();
    await report.close();
    await printResult(cli, { exported: customers.count, incomplete, files, folder: name }, report);
    if (incomplete > 0) cli.exitCode = ExitCode.failure;
  } catch (error) {
    await folder.discard();
    await report.close().catch(() => undefined);
    throw error;
  }
}

const toTargetOptions = (target: ExportTarget, options: SystemOptions): TargetOptions => ({
  providers: new Map([...Object.entries(target.providers), ...(options.provider ?? [])]),
  values: options as Record<string, string | undefined>,
});

/** Writes all customers to the folder. @returns the number of customers with a value that was left out */
async function writeAll(
  customers: AsyncIterable<ExportedCustomer>,
  target: ExportTarget,
  options: TargetOptions,
  folder: TargetFolder,
  report: ImportReport,
): Promise<number> {
  let incomplete = 0;
  for await (const customer of customers) {
    const { records, differences } = target.convert(customer, options);
    const position = await folder.write(records);
    const record = { position, sourceId: customer.id, customer, leftOut: [] };
    for (const { result, ...leftOut } of differences) await report.add(record, result, leftOut);
    if (differences.some(({ result }) => result === 'left_out')) incomplete += 1;
  }
  return incomplete;
}

interface Result {
  exported: number;
  incomplete: number;
  files: string[];
  folder: string;
}

async function printResult(
  cli: Cli,
  { exported, incomplete, files, folder }: Result,
  report: ImportReport,
): Promise<void> {
  if (cli.isJson) return printJson(cli, { exported, incomplete, folder, files, reasons: report.counts });
  await printRecord(cli, [
    ['Exported', exported],
    ['With values left out', incomplete],
    ['Folder', folder],
    ['Files', files.length > 3 ? `${files[0]} to ${files.at(-1)}` : files.join(', ')],
  ]);
  await printReasons(cli, report);
}
