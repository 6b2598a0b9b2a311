import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withProgramOptions } from '../../scripts/program-options.mjs';
import { entryPoints } from './server-process.mjs';
import type { TestInstance } from './test-instance.js';

/**
 * Runs an `npm run gatehouse` command for an instance, without the script that checks the build.
 * @returns the standard output
 * @throws Error with `code` and `stderr` if the exit code is not 0
 */
export async function runGatehouse(
  instance: TestInstance,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [entryPoints.gatehouse, ...args], {
    env: withProgramOptions({ PATH: process.env['PATH'], ...instance.env, ...env }),
  });
  return stdout;
}

/** Runs `operator-link`. @returns the one-time link that it prints */
export async function createOperatorLink(instance: TestInstance, ...args: string[]): Promise<URL> {
  const output = await runGatehouse(instance, ['operator-link', ...args]);
  return new URL(/^https?:\S+$/m.exec(output)![0]);
}
