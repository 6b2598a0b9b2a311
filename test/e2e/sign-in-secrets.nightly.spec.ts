import { registerCustomer } from '../support/customers.js';
import { SECRETS_SETTINGS, SignInSecrets } from '../support/sign-in-secrets.js';
import { checkConsumers, checkEvents } from '../support/sign-in-tables.js';
import { createSocialProject } from '../support/social-sign-in.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let secrets: SignInSecrets;
beforeAll(async () => {
  instance = await TestInstance.start({ workers: 0, env: { RATE_LIMITS: 'off' } });
  secrets = await SignInSecrets.prepare(instance);
});
afterAll(() => Promise.all([instance?.stop(), secrets?.stop()]));

it('EX-01: a sign-in secret is accepted only by its own consumer, in every variation', async () => {
  const project = await createSocialProject(instance, SECRETS_SETTINGS);
  const { accessToken } = (await registerCustomer(instance)).tokens;
  const table = await checkConsumers(instance, secrets, { project, accessToken }, true);
  expect(table).toEqual({ wrong: [], cells: 1879 });
});

it('EX-01: an access revocation ends every earlier secret and session', async () => {
  expect(await checkEvents(instance, secrets, true)).toEqual({ wrong: [], cells: 287 });
});
