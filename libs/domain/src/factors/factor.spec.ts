import { canonicalCode, canonicalRecoveryCode } from './factor.js';

it.each([
  ['digits', '123456', '123456'],
  ['full-width digits', '１２３４５６', '123456'],
  ['Unicode spaces', ' 123\u00a0\u2009456\u3000\n', '123456'],
  ['invisible characters', '\ufeff12\u200b34\u2060\u00ad56\ufe0f', '123456'],
  ['digits of another script', '١٢٣٤٥٦', '١٢٣٤٥٦'],
  ['letters', 'é23456', 'é23456'],
])('canonicalizes a code with %s', (_, text, expected) => {
  expect(canonicalCode(text)).toBe(expected);
});

it.each([
  ['hyphens, spaces and capital letters', ' 7K2XM-q4d0v -３n8ct\u200b', '7k2xmq4d0v3n8ct'],
  ['dashes', '7k2xm\u2013q4d0v\u20143n8ct \u2010\u2011\u2212', '7k2xmq4d0v3n8ct'],
  ['O for 0', 'OoＯ', '000'],
  ['I and l for 1', 'IilL', '1111'],
])('canonicalizes a recovery code with %s', (_, text, expected) => {
  expect(canonicalRecoveryCode(text)).toBe(expected);
});
