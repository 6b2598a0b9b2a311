import { sendGeneratedInput } from '../support/generated-input.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** A sample of generated-input.nightly.spec.ts that catches frequent regressions. */
test('no generated request, valid or invalid, gets a 5xx or undocumented response', async () => {
  const { failures, alwaysRejected, operations } = await sendGeneratedInput(instance, 3, 10);
  expect(failures).toEqual([]);
  expect(alwaysRejected.length).toBeLessThan(operations / 2);
});
