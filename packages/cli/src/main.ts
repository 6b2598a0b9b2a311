#!/usr/bin/env node
import { ExitCode } from './cli-error.js';
import { run } from './run.js';

const interruption = new AbortController();
// The second signal ends the process at once: its handler is removed by the first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
// A pipe's reader, such as `head`, has read enough.
const endOnBrokenPipe = ({ code }: NodeJS.ErrnoException): void => {
  if (code === 'EPIPE') process.exit(ExitCode.brokenPipe);
};
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  endOnBrokenPipe(error);
  process.stderr.write(`Error: Cannot write to stdout: ${error.message}\n`);
  process.exit(ExitCode.failure);
});
// Notes that a full disk does not accept must not change the result.
process.stderr.on('error', endOnBrokenPipe);

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interruption.signal,
});
