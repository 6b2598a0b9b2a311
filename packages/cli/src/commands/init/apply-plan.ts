import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Cli } from '../../cli.js';
import { allowOrigin } from './allowed-origin.js';
import { createPublishableKey } from './connection.js';
import type { FileChange } from './framework.js';
import { install } from './install-packages.js';
import { planSettings, type Plan } from './plan.js';
import type { AppFolder } from './app-folder.js';

/**
 * Applies a plan. The key is stored as soon as it exists, so that the command can be repeated if it fails later.
 * @returns the plan with the new key, and with all steps that are left to the developer
 */
export async function applyPlan(cli: Cli, plan: Plan): Promise<Plan> {
  const { folder, framework, installation, changes, origin } = plan;
  const target = { ...plan.target };
  if (!target.publishableKey) {
    target.publishableKey = await createPublishableKey(target.management!, folder.name, cli.signal);
  }
  const { url, projectId, publishableKey } = target;
  const variables = framework.variables({ url, projectId, publishableKey }, folder);
  const settings = planSettings(folder, framework, variables);
  await writeFiles(folder, settings);
  if (installation) await install(cli, installation);
  await writeFiles(folder, changes);
  const step = origin === null ? null : await allowOrigin(target, origin, cli.signal);
  return { ...plan, target, settings, manualSteps: [...plan.manualSteps, ...(step ? [step] : [])] };
}

async function writeFiles(folder: AppFolder, changes: FileChange[]): Promise<void> {
  for (const { path, content } of changes) {
    const file = join(folder.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
