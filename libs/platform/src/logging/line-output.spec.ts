import { execFileSync } from 'node:child_process';
import { constants, closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineOutput } from './line-output.js';

const LINES = 6_000;

/** Returns a line of 1,000 characters that ends with the number. */
const numberedLine = (index: number): string => `${String(index).padStart(999, '.')}\n`;

describe('LineOutput', () => {
  let folder: string;
  let fifo: string;
  /** The ends of the pipe, both non-blocking like standard output in Node.js. */
  let readEnd: number;
  let writeEnd: number;
  let reports: number[];
  let output: LineOutput;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-output-'));
    fifo = join(folder, 'pipe');
    execFileSync('mkfifo', [fifo]);
    readEnd = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    writeEnd = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
    reports = [];
    output = new LineOutput({ fd: writeEnd }, (lines) => {
      reports.push(lines);
      output.write(`${lines} lost\n`);
    });
  });
  afterEach(() => {
    closeSync(writeEnd);
    rmSync(folder, { recursive: true });
  });

  /** Reads from the pipe until `text` has arrived, then closes it. */
  async function readUntil(fd: number, text: string): Promise<string> {
    const reader = new Socket({ fd, writable: false });
    let received = '';
    for await (const chunk of reader.setEncoding('utf8')) {
      received += chunk;
      if (received.includes(text)) break;
    }
    return received;
  }

  it('drops and counts lines beyond its limit while the reader stalls, and reports them once', async () => {
    for (let index = 0; index < LINES; index += 1) output.write(numberedLine(index));
    const { dropped } = output;
    expect(dropped).toBeGreaterThan(0);
    expect(reports).toEqual([]);
    const received = await readUntil(readEnd, ' lost\n');
    const kept = Array.from({ length: LINES - dropped }, (_, index) => numberedLine(index)).join('');
    expect(received).toBe(`${kept}${dropped} lost\n`);
    await output.drained();
    expect([reports, output.dropped]).toEqual([[dropped], dropped]);
  });

  it('returns false to the caller before it drops lines', async () => {
    const line = numberedLine(0);
    let accepted = 0;
    while (output.write(line)) accepted += 1;
    expect([output.dropped, accepted > 1_000]).toEqual([0, true]);
    output.write('end\n');
    await Promise.all([output.drained(), readUntil(readEnd, 'end\n')]);
    expect(output.dropped).toBe(0);
  });

  it('writes the pending lines once a closed pipe has a reader again', async () => {
    closeSync(readEnd);
    output.write('first\n');
    // Waits until the write has failed, with a later and longer call in the thread pool.
    await new Promise((resolve) => setImmediate(resolve));
    await stat(fifo);
    output.write('second\n');
    const reopened = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    expect(await readUntil(reopened, 'second\n')).toBe('first\nsecond\n');
    expect(reports).toEqual([]);
  });
});
