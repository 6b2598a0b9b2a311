import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Cli } from '../../cli.js';
import { usageError } from '../../cli-error.js';
import { CountedCustomers, countCustomers } from '../../export/read-customers.js';
import { targets } from '../../export/targets.js';
import { printNote, write } from '../../output.js';
import { getProjectId } from '../../project.js';
import { visibleJson, visibleText } from '../../console-shared/visible-text.js';
import { collectProviderName, exportToSystem, getTarget, type SystemOptions } from './export-to-system.js';

interface Options extends SystemOptions {
  hashes?: boolean;
  force?: boolean;
}

/** Adds `gatehouse customers export`. */
export function addExportCustomersCommand(customers: Command, cli: Cli): void {
  const command = customers
    .command('export')
    .summary('export the customers of a project')
    .description(
      'Export the customers of a project as NDJSON, oldest first, in the format that imports accept, ' +
        'or with --to in the format of another system. ' +
        'Requires an organization key with the scopes project:read and customer:read.',
    )
    .argument('[file]', 'file to create; default: stdout. With --to, folder to create')
    .option(
      '--hashes',
      'include password hashes and TOTP secrets; requires the scope customer:export_hashes. --to always includes them',
    )
    .option('--force', 'replace an existing file or, with --to, the files of an earlier export')
    .addOption(
      new Option('--to <system>', 'system that will import the files').choices(
        targets.map(({ name }) => name),
      ),
    )
    .option(
      '--provider <slug=name>',
      'name of an identity provider in the other system; repeatable',
      collectProviderName,
    )
    .option(
      '--report <file>',
      'file for a report of the values that the other system does not receive: CSV if its name ends with .csv, otherwise NDJSON',
    );
  for (const { name, options = [] } of targets)
    for (const { flags, description } of options) command.option(flags, `${description} (--to ${name})`);
  command
    .addHelpText(
      'after',
      `\nFiles:\n${targets.map(({ name, description }) => `  ${name.padEnd(10)} ${description}`).join('\n')}`,
    )
    .action((file: string | undefined, options: Options) => {
      const target = getTarget(options);
      return target ? exportToSystem(cli, target, file, options) : exportLines(cli, file, options);
    });
}

async function exportLines(cli: Cli, file: string | undefined, { hashes, force }: Options): Promise<void> {
  const client = cli.connect();
  const target = file === undefined ? null : resolve(cli.cwd, file);
  if (target && existsSync(target) && !force)
    throw usageError(`The file ${file} exists.`, 'Choose another file, or replace it with --force.');
  const projectId = await getProjectId(cli, client);
  const query = hashes ? { hashes: true } : {};
  const customers = new CountedCustomers(
    cli,
    client.projects.exportCustomers(projectId, query, { signal: cli.signal }),
    target !== null || !cli.stdout.isTTY,
  );
  const lines = toLines(customers);
  if (target) await writeToFile(lines, target);
  else for await (const line of lines) await write(cli.stdout, line);
  const count = countCustomers(customers.count);
  await printNote(cli, `Exported ${count}${file === undefined ? '' : ` to ${visibleText(file)}`}.`);
}

async function* toLines(customers: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const customer of customers) yield `${visibleJson(customer)}\n`;
}

/** Writes the lines to a partial file that only its owner can read, and renames the file when it is complete. */
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
