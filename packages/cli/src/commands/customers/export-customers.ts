import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { GatehouseError } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { CliError, usageError } from '../../cli-error.js';
import { createProgress, printNote, write } from '../../output.js';
import { findProject } from '../../project.js';
import { visibleJson, visibleText } from '../../visible-text.js';

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
      const customersOfProject = client.projects.exportCustomers(projectId, query, { signal: cli.signal });
      const lines = new ExportLines(cli, customersOfProject, target !== null);
      if (target) await writeToFile(lines, target);
      else for await (const line of lines) await write(cli.stdout, line);
      const count = countCustomers(lines.count);
      await printNote(cli, `Exported ${count}${file === undefined ? '' : ` to ${visibleText(file)}`}.`);
    });
}

/** Writes the lines to a file that gets its name when it is complete. Only its owner can read it. */
async function writeToFile(lines: AsyncIterable<string>, target: string): Promise<void> {
  const partial = `${target}.partial`;
  try {
    await rm(partial, { force: true });
    await pipeline(lines, createWriteStream(partial, { mode: 0o600, flags: 'wx' }));
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

const countCustomers = (count: number): string => `${count} ${count === 1 ? 'customer' : 'customers'}`;

/** The lines of an export, which are counted while they are read. */
class ExportLines implements AsyncIterable<string> {
  count = 0;

  constructor(
    private readonly cli: Cli,
    private readonly customers: AsyncIterable<unknown>,
    /** A progress between the lines on the same terminal would be unreadable. */
    private readonly isToFile: boolean,
  ) {}

  /** @throws CliError with the number of customers if the connection ends early */
  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    const progress = createProgress(this.cli);
    const isShown = this.isToFile || !this.cli.stdout.isTTY;
    try {
      for await (const customer of this.customers) {
        yield `${visibleJson(customer)}\n`;
        this.count += 1;
        if (isShown && this.count % PROGRESS_STEP === 0)
          progress.update(`Exported ${countCustomers(this.count)}`);
      }
    } catch (error) {
      if (this.count === 0 || !(error instanceof GatehouseError)) throw error;
      const message = `The connection ended after ${countCustomers(this.count)}. The export is incomplete.`;
      throw new CliError(message, {
        fix: 'Run the command again. An export cannot be continued.',
        cause: error,
      });
    } finally {
      progress.clear();
    }
  }
}
