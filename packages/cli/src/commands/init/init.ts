import { Option, type Command } from 'commander';
import type { Cli } from '../../cli.js';
import { frameworkNames } from './framework.js';
import type { InitOptions } from './plan.js';

/** Adds `gatehouse init`. */
export function addInitCommand(program: Command, cli: Cli): void {
  program
    .command('init')
    .summary('add sign-in to an app')
    .description(
      'Add sign-in to the app in this folder: Next.js, Vite with React, Express or NestJS. Lists all changes first. ' +
        'Requires the scopes project:read and api_key:write.',
    )
    .option('--yes', 'apply the changes without a confirmation')
    .addOption(
      new Option('--framework <name>', 'framework of the app; default: detected').choices(frameworkNames),
    )
    .option('--publishable-key <key>', 'publishable key (pk_…) of the project; default: a new one')
    .option('--no-install', 'do not install packages')
    .option('--packages <folder>', 'install the packages from a folder with their packed files (.tgz)')
    .action(async (options: InitOptions) => {
      // The JavaScript parser is large, and other commands start faster without it.
      const { runInit } = await import('./run-init.js');
      await runInit(cli, options);
    });
}
