import { createInterface } from 'node:readline/promises';
import type { Cli } from './cli.js';
import { CliError, ExitCode, usageError } from './cli-error.js';

/**
 * Reads a line from the terminal. The question is printed to stderr, so that stdout contains only results.
 * @param fix instructions to run the command without a terminal
 * @throws CliError with exit code 2 if stdin is no terminal, and 130 if the reader interrupts the question
 */
export async function ask({ stdin, stderr, signal }: Cli, question: string, fix: string): Promise<string> {
  if (!stdin.isTTY) throw usageError('The command asks for an input, but stdin is no terminal.', fix);
  const terminal = createInterface({ input: stdin, output: stderr });
  const interruption = new AbortController();
  // While readline reads, the terminal sends Ctrl-C as a character and not as a signal. Ctrl-D closes the input.
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
 * Requires a confirmation, unless `--yes` has given it.
 * @throws CliError if the answer is not yes, and with exit code 2 without `--yes` if stdin is no terminal
 */
export async function confirm(cli: Cli, question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  const answer = await ask(cli, `${question} [y/N]`, 'Confirm the command with --yes.');
  if (!/^y(es)?$/i.test(answer)) throw new CliError('Not confirmed. Nothing was changed.');
}
