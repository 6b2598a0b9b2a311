import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolveCommand } from 'package-manager-detector/commands';
import { detect, getUserAgent } from 'package-manager-detector/detect';
import type { Agent } from 'package-manager-detector';
import type { Cli } from '../../cli.js';
import { CliError, usageError } from '../../cli-error.js';
import type { AppFolder } from './app-folder.js';

/** The Gatehouse packages that other Gatehouse packages depend on. */
const DEPENDENCIES: Record<string, string[]> = {
  '@gatehouse/nextjs': ['@gatehouse/js', '@gatehouse/react', '@gatehouse/server'],
  '@gatehouse/react': ['@gatehouse/js'],
};

export interface Command {
  command: string;
  args: string[];
}

/** Returns an app's package manager: from its lock file or package.json, or the one that runs this program. */
export async function findPackageManager(folder: AppFolder): Promise<Agent> {
  const found = await detect({ cwd: folder.path });
  return found?.agent ?? getUserAgent() ?? 'npm';
}

/** Returns the command that runs a package.json script. */
export const runCommand = (agent: Agent, script: string): string =>
  toCommandLine(resolveCommand(agent, 'run', [script]));

/**
 * Returns the command that adds packages.
 * @param folder the absolute path of a folder with packed packages, which replace those in the registry
 * @throws CliError if a file is missing
 */
export function addCommand(agent: Agent, packages: string[], folder: string | null): Command {
  const sources = folder === null ? packages : listTarballs(packages, folder);
  return resolveCommand(agent, 'add', sources) ?? { command: 'npm', args: ['install', ...sources] };
}

export const toCommandLine = (command: Command | null): string =>
  command ? [command.command, ...command.args].join(' ') : '';

/** Returns the packed files of packages and their dependencies. */
function listTarballs(packages: string[], folder: string): string[] {
  const files = readFolder(folder);
  const all = new Set(packages.flatMap((name) => [name, ...(DEPENDENCIES[name] ?? [])]));
  return [...all].map((name) => {
    const prefix = `${name.slice(1).replace('/', '-')}-`;
    const file = files.filter(
      (each) => each.startsWith(prefix) && /^\d.*\.tgz$/.test(each.slice(prefix.length)),
    );
    if (file.length === 1) return join(folder, file[0]!);
    throw usageError(`${folder} contains ${file.length} packed files of ${name}, expected one.`);
  });
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    throw usageError(`Cannot read the folder ${path}: ${(error as Error).message}`);
  }
}

/** Runs the command in the folder. Its output goes to stderr. @throws CliError if it fails */
export async function install(cli: Cli, { command, args }: Command): Promise<void> {
  // Package scripts must not read the key.
  const { GATEHOUSE_SECRET_KEY: _, ...env } = cli.env;
  const child = spawn(command, args, {
    cwd: cli.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    signal: cli.signal,
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => cli.stderr.write(text));
  const [code] = (await once(child, 'close').catch((error: unknown) => [(error as Error).message])) as [
    unknown,
  ];
  if (code === 0) return;
  throw new CliError(
    `\`${toCommandLine({ command, args })}\` failed: ${typeof code === 'number' ? `exit code ${code}` : String(code)}`,
    { fix: 'Install the packages yourself, then run `gatehouse init --no-install`. No code was changed.' },
  );
}
