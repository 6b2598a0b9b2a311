import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Cli } from '../../cli.js';
import { CliError, ExitCode } from '../../cli-error.js';

/** Reads a line from the terminal without echoing it. Prints the question to stderr. */
export async function askSecret({ stdin, stderr, signal }: Cli, question: string): Promise<string> {
  // In raw mode, the terminal does not echo input: readline writes the typed characters to this stream instead.
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: hidden, terminal: true, historySize: 0 });
  const interruption = new AbortController();
  const abort = (): void => interruption.abort();
  terminal.once('SIGINT', abort);
  terminal.once('close', abort);
  stderr.write(`${question} `);
  try {
    const signals = AbortSignal.any([signal, interruption.signal]);
    return (await terminal.question('', { signal: signals })).trim();
  } catch (error) {
    throw new CliError('The input was interrupted.', { exitCode: ExitCode.interrupted, cause: error });
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
