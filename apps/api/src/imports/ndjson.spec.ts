import { PassThrough, Readable } from 'node:stream';
import { readBatches, readLines, type Batch, type Line } from './ndjson.js';

const createBody = (...chunks: (string | Buffer)[]): Readable =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk as string)));

async function collectLines(body: Readable): Promise<[number, string | null][]> {
  const collected: [number, string | null][] = [];
  for await (const lines of readLines(body)) {
    for (const { number, bytes } of lines) collected.push([number, bytes && bytes.toString()]);
  }
  return collected;
}

describe('readLines', () => {
  it.each<[string, (string | Buffer)[], string[]]>([
    ['an empty body', [], []],
    ['one line', ['a\n'], ['a']],
    ['no line feed at the end', ['a\nb'], ['a', 'b']],
    ['empty lines', ['\na\n\n'], ['', 'a', '']],
    ['lines split across chunks', ['a', 'b\nc', '\n', 'd', 'e'], ['ab', 'c', 'de']],
    ['many lines in one chunk', ['1\n2\n3\n4'], ['1', '2', '3', '4']],
    ['characters split across chunks', [...Buffer.from('ü🦄')].map((byte) => Buffer.from([byte])), ['ü🦄']],
  ])('reads %s', async (_, chunks, expected) => {
    expect(await collectLines(createBody(...chunks))).toEqual(
      expected.map((text, index) => [index + 1, text]),
    );
  });

  it('discards a line over 64 KiB and continues after it', async () => {
    const limit = 'x'.repeat(64 * 1024);
    const body = createBody(`${limit}\n${limit}`, 'x', limit, '\nb\n', `${limit}x`);
    expect(await collectLines(body)).toEqual([
      [1, limit],
      [2, null],
      [3, 'b'],
      [4, null],
    ]);
  });

  it('IN-11: times out when a line does not end in time, even if bytes keep arriving', async () => {
    const body = new PassThrough();
    body.write('a\nb');
    const trickle = setInterval(() => body.write('b'), 10);
    const lines = readLines(body, 100);
    expect((await lines.next()).value).toEqual([{ number: 1, bytes: Buffer.from('a') }]);
    await expect(lines.next()).rejects.toMatchObject({ code: 'request_timeout' });
    clearInterval(trickle);
    // The response must still be sent over the same connection.
    expect(body.destroyed).toBe(false);
  });
});

describe('readBatches', () => {
  const claim = () => Promise.resolve(null);
  const nothingImported = { lastLine: 0, matches: () => false, claim };
  async function collectBatches(
    body: Readable,
    imported: Parameters<typeof readBatches>[1] = nothingImported,
  ): Promise<Batch[]> {
    const batches: Batch[] = [];
    for await (const batch of readBatches(readLines(body), imported)) batches.push(batch);
    return batches;
  }
  const sizes = (batches: Batch[]): [number, number][] =>
    batches.map(({ lines, lastLine }) => [lines.length, lastLine]);

  it('ends a batch at 500 lines, at 50 with passwords, and at 256 KiB', async () => {
    expect(sizes(await collectBatches(createBody('{}\n'.repeat(1_200))))).toEqual([
      [500, 500],
      [500, 1_000],
      [200, 1_200],
    ]);
    expect(sizes(await collectBatches(createBody('{"password":"x"}\n'.repeat(60))))).toEqual([
      [50, 50],
      [10, 60],
    ]);
    const large = `${'x'.repeat(60 * 1024)}\n`;
    expect(sizes(await collectBatches(createBody(...Array<string>(18).fill(large))))).toEqual([
      [5, 5],
      [5, 10],
      [5, 15],
      [3, 18],
    ]);
  });

  it('skips blank lines but counts them', async () => {
    const [batch] = await collectBatches(createBody('\n{}\n \t\r\n{}\n\n'));
    expect(batch!.lines.map(({ number }: Line) => number)).toEqual([2, 4]);
    expect(batch!.lastLine).toBe(5);
  });

  it('continues after the imported lines if they are the same', async () => {
    const text = '{"a":1}\n{"b":2}\n';
    const [before] = await collectBatches(createBody(text));
    const imported = { lastLine: 2, matches: (digest: Buffer) => digest.equals(before!.digest), claim };
    const [after] = await collectBatches(createBody(text, '{"c":3}\n'), imported);
    expect(after!.lines).toEqual([{ number: 3, bytes: Buffer.from('{"c":3}') }]);
    expect(await collectBatches(createBody(text), imported)).toEqual([]);
    for (const other of ['{"a":2}\n{"b":2}\n{}\n', '{"a":1}\n', '', '{"a":1}{"b":2}\n\n{}\n']) {
      await expect(collectBatches(createBody(other), imported)).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('also compares lines that were imported in the meantime, and continues after them', async () => {
    const body = () => createBody('1\n2\n3\n4\n');
    const further = (matches: boolean) => ({ lastLine: 3, matches: () => matches, claim });
    const imported = (matches: boolean) => ({
      lastLine: 1,
      matches: () => true,
      claim: () => Promise.resolve(further(matches)),
    });
    expect((await collectBatches(body(), imported(true))).map(({ lines }) => lines)).toEqual([
      [{ number: 4, bytes: Buffer.from('4') }],
    ]);
    await expect(collectBatches(body(), imported(false))).rejects.toMatchObject({ code: 'conflict' });
    await expect(collectBatches(createBody('1\n2\n'), imported(true))).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
