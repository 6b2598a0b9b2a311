import { Option, type Command } from 'commander';
import type { Cli } from '../../cli.js';
import { CliError, ExitCode, usageError } from '../../cli-error.js';
import { printJson } from '../../output.js';
import { confirm } from '../../prompt.js';
import { visibleText } from '../../visible-text.js';
import { applyPlan } from './apply-plan.js';
import { findTarget } from './connection.js';
import { findConflicts, type Conflict } from './env-file.js';
import { express } from './express.js';
import type { Framework } from './framework.js';
import { nestjs } from './nestjs.js';
import { nextjs } from './nextjs.js';
import { createPlan, type InitOptions, type Plan } from './plan.js';
import { listActions, printNextSteps, printPlan } from './print-plan.js';
import { AppFolder } from './app-folder.js';
import { vite } from './vite.js';

/** In the order of detection: an app with NestJS or Next.js can also depend on Express or Vite. */
const frameworks: Record<string, Framework> = { nextjs, nestjs, vite, express };

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
      new Option('--framework <name>', 'framework of the app; default: detected').choices(
        Object.keys(frameworks),
      ),
    )
    .option('--publishable-key <key>', 'publishable key (pk_…) of the project; default: a new one')
    .option('--no-install', 'do not install packages')
    .option('--packages <folder>', 'install the packages from their packed files in this folder')
    .action((options: InitOptions) => init(cli, options));
}

async function init(cli: Cli, options: InitOptions): Promise<void> {
  const folder = AppFolder.read(cli.cwd);
  if (!folder)
    throw new CliError('This folder contains no package.json.', {
      fix: 'Run the command in the folder of your app, or create one, such as with `npm create vite@latest`.',
    });
  const framework = findFramework(folder, options.framework);
  const target = await findTarget(cli, folder, framework, options.publishableKey);
  const plan = await createPlan(folder, framework, target, options);
  await confirmReplacements(cli, findConflicts(folder, plan.variables));
  const actions = listActions(plan);
  if (cli.isJson && !options.yes && actions.length > 0)
    throw usageError(
      'With --json, the changes are not shown before they are applied.',
      'Confirm them with --yes.',
    );
  if (!cli.isJson) await printPlan(cli, plan, actions);
  if (actions.length > 0) await confirm(cli, 'Apply these changes?', options.yes);
  const applied = await applyPlan(cli, plan);
  if (applied.manualSteps.length > 0) cli.exitCode = ExitCode.failure;
  if (cli.isJson) await printJson(cli, toJson(plan, applied));
  else await printNextSteps(cli, plan, applied);
}

/** Returns the framework of the app. @throws CliError if it is not supported */
function findFramework(folder: AppFolder, name: string | undefined): Framework {
  const found = name ? frameworks[name] : Object.values(frameworks).find((each) => each.detect(folder));
  if (found) return found;
  throw new CliError('This app uses none of Next.js, Vite with React, Express and NestJS.', {
    fix: 'Follow a quick start for another framework, or pass --framework <name>.',
  });
}

/** Confirms each replacement of a value. @throws CliError unless the user agrees to all of them */
async function confirmReplacements(cli: Cli, conflicts: Conflict[]): Promise<void> {
  for (const { file, name, current, wanted } of conflicts) {
    if (!cli.stdin.isTTY)
      throw usageError(
        `${name} has another value in ${file}.`,
        `Remove it from ${file}, or set the same value.`,
      );
    await confirm(cli, visibleText(`Replace ${name}=${current} in ${file} by ${wanted}?`), false);
  }
}

const toJson = (plan: Plan, applied: Plan) => ({
  framework: plan.framework.name,
  url: applied.target.url,
  projectId: applied.target.projectId || null,
  publishableKey: applied.target.publishableKey,
  files: [...applied.settings, ...applied.changes].map(({ path, action }) => ({ path, action })),
  packages: applied.packages,
  manualSteps: applied.manualSteps,
});
