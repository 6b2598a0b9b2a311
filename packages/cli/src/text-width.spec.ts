import { fitText, widthOf } from './text-width.js';

it('counts the terminal columns of a string, and shortens it to a width', () => {
  const widths: [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['👩‍💻', 2],
    ['ｆｕ', 4],
    ['한', 2],
  ];
  expect(widths.map(([text]) => widthOf(text))).toEqual(widths.map(([, width]) => width));
  const cases: [string, number, string][] = [
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👩‍💻👩‍💻', 3, '👩‍💻…'],
  ];
  expect(cases.map(([text, width]) => fitText(text, width))).toEqual(cases.map(([, , fitted]) => fitted));
});
