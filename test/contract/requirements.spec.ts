import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The requirements that a test must show, and bear in its title. */
const required: Record<string, number[]> = {
  PW: [1, 2, 3, 4, 5, 6, 7, 8],
  TK: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  AK: [9],
  EV: [1, 2, 3, 4, 5, 6, 7],
  RL: [1, 2, 3, 4, 6, 7, 8],
  LG: [1, 2, 3, 4, 5],
  HD: [1, 3, 4, 5],
  WH: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
  CO: [1, 2, 3, 4, 5],
};
const ids = Object.entries(required).flatMap(([area, numbers]) =>
  numbers.map((number) => `${area}-${String(number).padStart(2, '0')}`),
);

/** The first argument of a call, a text, with another one behind it: what titles look like. */
const title = /\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`),/g;

describe('the requirements', () => {
  let titles: string;
  beforeAll(async () => {
    const specs = (
      await Promise.all(
        ['apps', 'libs', 'test'].map(async (folder) =>
          (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
        ),
      )
    )
      .flat()
      .filter((name) => name.endsWith('.spec.ts'));
    const texts = await Promise.all(specs.map((name) => readFile(name, 'utf8')));
    titles = texts
      .flatMap((text) =>
        [...text.matchAll(title)].map(([, single, double, back]) => single ?? double ?? back),
      )
      .join('\n');
  });

  it.each(ids)('%s stands in the title of a test', (id) => {
    expect(titles.includes(id)).toBe(true);
  });

  it('titles are found, and comments are not', () => {
    expect(titles).toContain('%s stands in the title of a test');
    expect(titles).not.toContain('what titles look like');
  });
});
