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
])('isTestAddress(%j) returns %p', (email, isTest) => {
  expect(isTestAddress(email)).toBe(isTest);
});
