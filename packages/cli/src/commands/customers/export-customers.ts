import { once } from 'node:events';
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli, Output } from '../../cli.js';
import { CliError, usageError } from '../../cli-error.js';
import { createProgress, printNote, write } from '../../output.js';
import { findProject } from '../../project.js';
import { visibleText } from '../../visible-text.js';

interface Options {
  hashes?: boolean;
  force?: boolean;
}

/** Customers after which the progress is updated. */
const PROGRESS_STEP = 100;

/** Adds `gatehouse customers export`. */
export function addExportCustomersCommand(customers: Command, cli: Cli): void {
  customers
    .command('export')
    .summary('export the customers of a project')
    .description(
      'Export the customers of a project as NDJSON, oldest first, in the format that imports accept. ' +
        'Requires an organization key with the scopes project:read and customer:read.',
    )
    .argument('[file]', 'file to create; default: stdout')
    .option('--hashes', 'include password hashes and TOTP secrets; requires the scope customer:export_hashes')
    .option('--force', 'replace an existing file')
    .action(async (file: string | undefined, { hashes, force }: Options) => {
      const client = cli.connect();
      const target = file === undefined ? null : resolve(cli.cwd, file);
      if (target && existsSync(target) && !force)
        throw usageError(`The file ${file} exists.`, 'Choose another file, or replace it with --force.');
      const projectId = await findProject(cli, client);
      const query = hashes ? { hashes: true } : {};
      const lines = client.projects.exportCustomers(projectId, query, { signal: cli.signal });
      const count = target ? await exportToFile(cli, lines, target) : await exportTo(cli, lines, cli.stdout);
      await printNote(
        cli,
        `Exported ${countCustomers(count)}${file === undefined ? '' : ` to ${visibleText(file)}`}.`,
      );
    });
}

/** Writes the lines to a file that gets its name when it is complete. Only its owner can read it. */
async function exportToFile(cli: Cli, lines: AsyncIterable<unknown>, target: string): Promise<number> {
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  const output = createWriteStream(partial, { mode: 0o600, flags: 'wx' });
  try {
    await once(output, 'open');
    const count = await exportTo(cli, lines, output);
    await end(output);
    await rename(partial, target);
    return count;
  } catch (error) {
    output.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}

const countCustomers = (count: number): string => `${count} ${count === 1 ? 'customer' : 'customers'}`;

async function end(output: WriteStream): Promise<void> {
  output.end();
  await once(output, 'finish');
}

/**
 * Writes the lines to a stream. @returns their number
 * @throws CliError with the number of written customers if the export ends early
 */
async function exportTo(cli: Cli, lines: AsyncIterable<unknown>, output: Output): Promise<number> {
  const progress = createProgress(cli);
  let count = 0;
  try {
    for await (const line of lines) {
      await write(output, `${JSON.stringify(line)}\n`);
      count += 1;
      if (count % PROGRESS_STEP === 0) progress.update(`Exported ${countCustomers(count)}`);
    }
    return count;
  } catch (error) {
    progress.clear();
    if (count === 0 || !(error instanceof GatehouseError)) throw error;
    throw new CliError(`The connection ended after ${countCustomers(count)}. The export is incomplete.`, {
      fix: 'Run the command again. An export cannot be continued.',
      cause: error,
    });
  } finally {
    progress.clear();
  }
}
