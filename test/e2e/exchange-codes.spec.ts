import { registerCustomer } from '../support/customers.js';
import { SECRETS_SETTINGS, SignInSecrets } from '../support/sign-in-secrets.js';
import { checkConsumers } from '../support/sign-in-tables.js';
import { createSocialProject } from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let secrets: SignInSecrets;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  secrets = await SignInSecrets.prepare(instance);
});
afterAll(() => Promise.all([instance?.stop(), secrets?.stop()]));

// The nightly specs send each secret in every variation to every consumer.
it('EX-01: a sign-in secret works once, for its consumer, and only in its original context', async () => {
  const project = await createSocialProject(instance, SECRETS_SETTINGS);
  const { accessToken } = (await registerCustomer(instance)).tokens;
  const table = await checkConsumers(instance, secrets, { project, accessToken }, false);
  expect(table).toEqual({ wrong: [], cells: 389 });
});
