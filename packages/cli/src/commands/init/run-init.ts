import type { Cli } from '../../cli.js';
import { CliError, ExitCode, usageError } from '../../cli-error.js';
import { printJson } from '../../output.js';
import { confirm } from '../../prompt.js';
import { visibleText } from '../../console-shared/visible-text.js';
import { applyPlan } from './apply-plan.js';
import { findTarget } from './connection.js';
import { findConflicts, type Conflict } from './env-file.js';
import { express } from './express.js';
import type { Framework, FrameworkName } from './framework.js';
import { nestjs } from './nestjs.js';
import { nextjs } from './nextjs.js';
import { createPlan, type InitOptions, type Plan } from './plan.js';
import { listActions, printNextSteps, printPlan } from './print-plan.js';
import { AppFolder } from './app-folder.js';
import { vite } from './vite.js';

/** In detection order: an app with NestJS or Next.js can also depend on Express or Vite. */
const frameworks: Record<FrameworkName, Framework> = { nextjs, nestjs, vite, express };

/** Lists the changes that `gatehouse init` plans, and applies them once they are confirmed. @throws CliError */
export async function runInit(cli: Cli, options: InitOptions): Promise<void> {
  const folder = AppFolder.read(cli.cwd);
  if (!folder)
    throw new CliError('This folder contains no package.json.', {
      fix: "Run the command in your app's folder, or create an app first, for example with `npm create vite@latest`.",
    });
  const framework = getFramework(folder, options.framework);
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

/** Returns the app's framework. @throws CliError if it is not supported */
function getFramework(folder: AppFolder, name: FrameworkName | undefined): Framework {
  const found = name ? frameworks[name] : Object.values(frameworks).find((each) => each.detect(folder));
  if (found) return found;
  throw new CliError('This app uses none of Next.js, Vite with React, Express and NestJS.', {
    fix: 'Follow a quick start for another framework, or pass --framework <name>.',
  });
}

/** Prompts for each value that would be replaced. @throws CliError unless the user confirms all of them */
async function confirmReplacements(cli: Cli, conflicts: Conflict[]): Promise<void> {
  for (const { file, name, current, wanted } of conflicts) {
    if (!cli.stdin.isTTY)
      throw usageError(
        `${name} has a different value in ${file}.`,
        `Remove it from ${file}, or set the same value.`,
      );
    await confirm(cli, visibleText(`Replace ${name}=${current} in ${file} with ${wanted}?`), false);
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
