import { isTestAddress } from './email-code.js';

it.each([
  ['ada@example.com', true],
  ['ada@shop.test', true],
  ['ada@mail.shop.test', true],
  ['ada@mail.example.com', false],
  ['ada@example.com.evil.org', false],
  ['ada@notexample.com', false],
  ['ada@test', false],
  ['ada.test@shop.org', false],
])('decides whether %s is at a reserved test domain', (email, isTest) => {
  expect(isTestAddress(email)).toBe(isTest);
});
