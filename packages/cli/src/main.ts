#!/usr/bin/env node
import { ExitCode } from './cli-error.js';
import { run } from './run.js';

const interruption = new AbortController();
// The first signal removes the handler, so a second one ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
// The program that reads the pipe, such as `head`, has closed it.
const endOnBrokenPipe = ({ code }: NodeJS.ErrnoException): void => {
  if (code === 'EPIPE') process.exit(ExitCode.brokenPipe);
};
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  endOnBrokenPipe(error);
  process.stderr.write(`Error: Cannot write to stdout: ${error.message}\n`);
  process.exit(ExitCode.failure);
});
// A note that cannot be written, such as to a full disk, must not change the result.
process.stderr.on('error', endOnBrokenPipe);

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interruption.signal,
});
