import { decodeChunks, isEncoding } from './decode-text.js';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  await Promise.resolve();
}

async function decode(bytes: Uint8Array, label: string, size = 64 * 1024): Promise<[string, string | null]> {
  let [text, encoding] = ['', null as string | null];
  for await (const chunk of decodeChunks(() => pieces(bytes, size), label)) {
    text += chunk.text;
    encoding = chunk.encoding;
  }
  return [text, encoding];
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

it.each([
  ['utf-8', Buffer.from('José €'), 'utf-8', 'José €'],
  ['UTF-8 with a mark and another label', Buffer.from('\ufeffJosé'), 'windows-1252', 'José'],
  ['UTF-16 with a mark', utf16('\ufeffJosé 😀'), 'utf-8', 'José 😀'],
  ['UTF-16 without a mark', utf16('José'), 'utf-8', 'José'],
  ['UTF-16 in network order', utf16('\ufeffJosé').swap16(), 'utf-8', 'José'],
  ['UTF-16 in network order without a mark', utf16('José').swap16(), 'utf-8', 'José'],
  ['Windows-1252', Buffer.from('4a6f73e920809293959fff', 'hex'), 'cp1252', 'José €’“•Ÿÿ'],
  ['Windows-1252 by another name', Buffer.from('4f92818d', 'hex'), 'iso-8859-1', 'O’\u0081\u008d'],
  ['shift_jis', Buffer.from('93fa967b', 'hex'), 'shift_jis', '日本'],
  ['an empty file', Buffer.alloc(0), 'utf-8', ''],
  ['two bytes', Buffer.from('hi'), 'utf-8', 'hi'],
])('decodes %s', async (_, bytes, label, text) => {
  for (const size of [1, 2, 3, 100]) expect((await decode(bytes, label, size))[0]).toBe(text);
});

it('reports the line with the first invalid byte, wherever the chunks end', async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index} é€😀\n`);
  const before = lines.join('');
  for (const [rest, line] of [
    ['e9', 3_001],
    ['c3', 3_001],
    ['f09f98', 3_001],
    ['c30a', 3_001],
    ['c30a0a', 3_001],
    ['0a0ae96e0a', 3_003],
    ['80', 3_001],
  ] as const) {
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from(rest, 'hex')]);
    for (const size of [7, 4_096, 70_000])
      await expect(decode(bytes, 'utf-8', size)).rejects.toMatchObject({
        name: 'EncodingError',
        encoding: 'utf-8',
        line,
        message: `line ${line} is not UTF-8`,
      });
  }
});

it('reports the line with an incomplete UTF-16 character', async () => {
  const bytes = Buffer.concat([utf16('\ufeffa\nb\n\ud83d'), utf16('\nc\n')]);
  await expect(decode(bytes, 'utf-8')).rejects.toMatchObject({ encoding: 'utf-16le', line: 3 });
});

it.each([
  ['cp1252', true],
  ['UTF-16', true],
  ['utf8', true],
  ['ebcdic', false],
  ['', false],
])('recognizes whether %j is an encoding', (label, known) => expect(isEncoding(label)).toBe(known));
