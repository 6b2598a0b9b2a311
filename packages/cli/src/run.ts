import { CommanderError } from 'commander';
import { createCli, type CliProcess } from './cli.js';
import { ExitCode } from './cli-error.js';
import { printError } from './print-error.js';
import { createProgram } from './program.js';

/**
 * Runs the command with these arguments and prints its errors.
 * @param args the arguments after the command's name
 * @returns the exit code
 */
export async function run(args: readonly string[], process: CliProcess): Promise<number> {
  const cli = createCli(process);
  try {
    await createProgram(cli).parseAsync(args, { from: 'user' });
    return cli.signal.aborted ? ExitCode.interrupted : cli.exitCode;
  } catch (error) {
    // `--help` and `--version` also throw this error, with exit code 0. Commander has already printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.success : ExitCode.usage;
    if (cli.signal.aborted) return ExitCode.interrupted;
    return printError(cli, error);
  }
}
