import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { eventually } from './eventually.js';

export interface ListeningProgram {
  /** The output so far. */
  readonly output: string;
}

/**
 * Collects a program's output. Resolves once a URL accepts connections.
 * @param name completes "timed out waiting for … to listen"
 * @throws Error with the output if the program ends first
 */
export async function waitUntilListening(
  name: string,
  child: ChildProcessByStdio<null, Readable, Readable>,
  url: string,
): Promise<ListeningProgram> {
  const program = { output: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (program.output += text));
  await eventually(`${name} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(program.output);
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
  return program;
}
