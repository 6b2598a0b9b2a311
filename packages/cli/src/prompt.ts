import { createInterface } from 'node:readline/promises';
import type { Cli } from './cli.js';
import { CliError, ExitCode, usageError } from './cli-error.js';

/**
 * Reads a line from the terminal. Prints the question to stderr, so that stdout contains only results.
 * @param fix how to run the command without a terminal
 * @throws CliError with exit code 2 if stdin is not a terminal, and 130 if the user interrupts the prompt
 */
export async function ask({ stdin, stderr, signal }: Cli, question: string, fix: string): Promise<string> {
  if (!stdin.isTTY) throw usageError('The command requires input, but stdin is not a terminal.', fix);
  const terminal = createInterface({ input: stdin, output: stderr });
  const interruption = new AbortController();
  // While readline reads, the terminal sends Ctrl-C as a character instead of a signal. Ctrl-D closes the input.
  const interrupt = (): void => interruption.abort();
  terminal.once('SIGINT', interrupt);
  terminal.once('close', interrupt);
  try {
    const signals = AbortSignal.any([signal, interruption.signal]);
    return (await terminal.question(`${question} `, { signal: signals })).trim();
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    throw new CliError('Interrupted. Nothing was changed.', { exitCode: ExitCode.interrupted });
  } finally {
    terminal.close();
  }
}

/**
 * Prompts for a confirmation, unless `--yes` was passed.
 * @throws CliError if the user does not confirm, and with exit code 2 if stdin is not a terminal
 */
export async function confirm(cli: Cli, question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  const answer = await ask(cli, `${question} [y/N]`, 'Confirm the command with --yes.');
  if (!/^y(es)?$/i.test(answer)) throw new CliError('Not confirmed. Nothing was changed.');
}
