import { sendGeneratedInput } from '../support/generated-input.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.start({ workers: 0, env: { RATE_LIMITS: 'off' } })));
afterAll(async () => instance?.stop());

test('no generated request gets a 5xx or undocumented response; nine in ten operations succeed', async () => {
  const { failures, alwaysRejected, operations } = await sendGeneratedInput(instance, 50, 1);
  expect(failures).toEqual([]);
  expect(alwaysRejected.length > operations / 10 ? alwaysRejected : []).toEqual([]);
});
