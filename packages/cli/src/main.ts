#!/usr/bin/env node
import { run } from './run.js';

const interruption = new AbortController();
// The second signal ends the process at once: its handler is removed by the first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, has read enough.
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`Error: Cannot write to stdout: ${message}\n`);
  process.exit(1);
});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interruption.signal,
});
