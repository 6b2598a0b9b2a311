import { PassThrough, Readable } from 'node:stream';
import { readBatches, readLines, type Batch, type Line } from './ndjson.js';

const bodyOf = (...chunks: (string | Buffer)[]): Readable =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk as string)));

async function linesOf(body: Readable): Promise<[number, string | null][]> {
  const found: [number, string | null][] = [];
  for await (const lines of readLines(body)) {
    for (const { number, bytes } of lines) found.push([number, bytes && bytes.toString()]);
  }
  return found;
}

describe('readLines', () => {
  it.each<[string, (string | Buffer)[], string[]]>([
    ['an empty body', [], []],
    ['one line', ['a\n'], ['a']],
    ['no line feed at the end', ['a\nb'], ['a', 'b']],
    ['empty lines', ['\na\n\n'], ['', 'a', '']],
    ['lines cut anywhere', ['a', 'b\nc', '\n', 'd', 'e'], ['ab', 'c', 'de']],
    ['many in a chunk', ['1\n2\n3\n4'], ['1', '2', '3', '4']],
    ['characters cut anywhere', [...Buffer.from('ü🦄')].map((byte) => Buffer.from([byte])), ['ü🦄']],
  ])('reads %s', async (_, chunks, expected) => {
    expect(await linesOf(bodyOf(...chunks))).toEqual(expected.map((text, index) => [index + 1, text]));
  });

  it('keeps nothing of a line over 64 KiB, and goes on behind it', async () => {
    const limit = 'x'.repeat(64 * 1024);
    const body = bodyOf(`${limit}\n${limit}`, 'x', limit, '\nb\n', `${limit}x`);
    expect(await linesOf(body)).toEqual([
      [1, limit],
      [2, null],
      [3, 'b'],
      [4, null],
    ]);
  });

  it('IN-11: gives up when a line does not come to its end in time, however often something comes', async () => {
    const body = new PassThrough();
    body.write('a\nb');
    const drip = setInterval(() => body.write('b'), 10);
    const lines = readLines(body, 100);
    expect((await lines.next()).value).toEqual([{ number: 1, bytes: Buffer.from('a') }]);
    await expect(lines.next()).rejects.toMatchObject({ code: 'request_timeout' });
    clearInterval(drip);
    // The answer still goes over the same connection.
    expect(body.destroyed).toBe(false);
  });
});

describe('gatherBatches', () => {
  const claim = () => Promise.resolve(null);
  const never = { lastLine: 0, matches: () => false, claim };
  async function batchesOf(
    body: Readable,
    done: Parameters<typeof readBatches>[1] = never,
  ): Promise<Batch[]> {
    const batches: Batch[] = [];
    for await (const batch of readBatches(readLines(body), done)) batches.push(batch);
    return batches;
  }
  const sizes = (batches: Batch[]): [number, number][] =>
    batches.map(({ lines, lastLine }) => [lines.length, lastLine]);

  it('ends a batch at 500 lines, at 50 with passwords, and at 1 MiB', async () => {
    expect(sizes(await batchesOf(bodyOf('{}\n'.repeat(1_200))))).toEqual([
      [500, 500],
      [500, 1_000],
      [200, 1_200],
    ]);
    expect(sizes(await batchesOf(bodyOf('{"password":"x"}\n'.repeat(60))))).toEqual([
      [50, 50],
      [10, 60],
    ]);
    const large = `${'x'.repeat(60 * 1024)}\n`;
    expect(sizes(await batchesOf(bodyOf(...Array<string>(20).fill(large))))).toEqual([
      [18, 18],
      [2, 20],
    ]);
  });

  it('leaves blank lines out, but counts them', async () => {
    const [batch] = await batchesOf(bodyOf('\n{}\n \t\r\n{}\n\n'));
    expect(batch!.lines.map(({ number }: Line) => number)).toEqual([2, 4]);
    expect(batch!.lastLine).toBe(5);
  });

  it('goes on behind the lines that are done with, if they are the same', async () => {
    const text = '{"a":1}\n{"b":2}\n';
    const [before] = await batchesOf(bodyOf(text));
    const done = { lastLine: 2, matches: (digest: Buffer) => digest.equals(before!.digest), claim };
    const [after] = await batchesOf(bodyOf(text, '{"c":3}\n'), done);
    expect(after!.lines).toEqual([{ number: 3, bytes: Buffer.from('{"c":3}') }]);
    expect(await batchesOf(bodyOf(text), done)).toEqual([]);
    for (const other of ['{"a":2}\n{"b":2}\n{}\n', '{"a":1}\n', '', '{"a":1}{"b":2}\n\n{}\n']) {
      await expect(batchesOf(bodyOf(other), done)).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('compares on when more lines are done with by then, and goes on only behind those', async () => {
    const body = () => bodyOf('1\n2\n3\n4\n');
    const further = (matches: boolean) => ({ lastLine: 3, matches: () => matches, claim });
    const done = (matches: boolean) => ({
      lastLine: 1,
      matches: () => true,
      claim: () => Promise.resolve(further(matches)),
    });
    expect((await batchesOf(body(), done(true))).map(({ lines }) => lines)).toEqual([
      [{ number: 4, bytes: Buffer.from('4') }],
    ]);
    await expect(batchesOf(body(), done(false))).rejects.toMatchObject({ code: 'conflict' });
    await expect(batchesOf(bodyOf('1\n2\n'), done(true))).rejects.toMatchObject({ code: 'conflict' });
  });
});
