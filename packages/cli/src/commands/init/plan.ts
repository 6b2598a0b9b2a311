import { resolve } from 'node:path';
import type { Agent } from 'package-manager-detector';
import { isRejected } from './allowed-origin.js';
import type { Target } from './connection.js';
import { planVariables } from './env-file.js';
import type { FileChange, Framework, FrameworkName, ManualStep } from './framework.js';
import { planGitIgnore } from './git-ignore.js';
import { addCommand, findPackageManager, type Command } from './install-packages.js';
import type { AppFolder } from './app-folder.js';

/** The command's options. */
export interface InitOptions {
  yes?: boolean;
  install: boolean;
  packages?: string;
  framework?: FrameworkName;
  publishableKey?: string;
}

/** All changes that `init` applies to an app. A second run has nothing left to change. */
export interface Plan {
  folder: AppFolder;
  framework: Framework;
  target: Target;
  packageManager: Agent;
  /** The variables that the code reads. The publishable key is missing if `init` has yet to create it. */
  variables: Record<string, string>;
  /** The changes to the files with variables, and to .gitignore. */
  settings: FileChange[];
  changes: FileChange[];
  /** The packages that are missing. */
  packages: string[];
  /** The command that installs the packages; null if none is missing, or with `--no-install`. */
  installation: Command | null;
  /** The origin that the project must allow, or null. */
  origin: string | null;
  manualSteps: ManualStep[];
}

/** Placeholder for the publishable key until it is created. */
const NEW_KEY = 'pk_';

/** Returns the plan for an app. Changes nothing. @throws CliError if the app or an option is not supported */
export async function createPlan(
  folder: AppFolder,
  framework: Framework,
  target: Target,
  options: InitOptions,
): Promise<Plan> {
  const packageManager = await findPackageManager(folder);
  const packages = framework.packages.filter((name) => folder.dependency(name) === undefined);
  const { url, projectId, publishableKey } = target;
  const { [framework.publishableKeyVariable]: key, ...variables } = framework.variables(
    { url, projectId, publishableKey: publishableKey ?? NEW_KEY },
    folder,
  );
  const { changes, manualSteps } = framework.plan(folder);
  const origin = framework.pageOrigin(folder);
  const packageFolder = options.packages ? resolve(folder.path, options.packages) : null;
  const installation = addCommand(packageManager, packages, packageFolder);
  return {
    folder,
    framework,
    target,
    packageManager,
    variables: { ...variables, ...(publishableKey && { [framework.publishableKeyVariable]: key! }) },
    settings: planSettings(folder, framework, { ...variables, [framework.publishableKeyVariable]: key! }),
    changes,
    packages,
    installation: options.install && packages.length > 0 ? installation : null,
    origin: origin !== null && isRejected(target, origin) ? origin : null,
    manualSteps,
  };
}

/** Returns the changes to the files with variables, and the change that makes Git ignore `envFile`. */
export function planSettings(
  folder: AppFolder,
  { envFile }: Framework,
  variables: Record<string, string>,
): FileChange[] {
  const files = planVariables(folder, envFile, variables);
  const willExist = folder.exists(envFile) || files.some(({ path }) => path === envFile);
  const ignored = willExist ? planGitIgnore(folder, envFile) : null;
  return ignored ? [ignored, ...files] : files;
}
