import { isCodeChallenge, withParameter } from './sign-in-exchange.js';

it.each([
  ['https://app.example.com', 'https://app.example.com/?code=a-b_1'],
  ['https://app.example.com/in?from=mail#top', 'https://app.example.com/in?from=mail&code=a-b_1#top'],
  ['https://app.example.com/in?code=old', 'https://app.example.com/in?code=a-b_1'],
  ['com.example.app:/welcome', 'com.example.app:/welcome?code=a-b_1'],
])('sets a parameter in %s', (redirectUrl, expected) => {
  expect(withParameter(redirectUrl, 'code', 'a-b_1')).toBe(expected);
});

it.each([
  ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', true],
  ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=', false],
  ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM', false],
  ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c', false],
])('isCodeChallenge(%j) returns %p', (text, isChallenge) => {
  expect(isCodeChallenge(text)).toBe(isChallenge);
});
