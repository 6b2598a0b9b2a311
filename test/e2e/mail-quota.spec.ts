import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const ask = async (route: 'forgot-password' | 'resend-verification', email: string): Promise<void> =>
  expect(await patiently(() => instance.page('POST', `/api/v1/auth/${route}`, { email }))).toMatchObject({
    status: 202,
  });
const create = (more: object): Promise<Answer> => instance.server('POST', '/api/v1/customers', more);
const written = async (email: string): Promise<string[]> =>
  (await instance.sql('SELECT kind FROM mails WHERE recipient = $1 ORDER BY id', [email])).map(
    ({ kind }) => kind,
  );

// One mail of a kind a minute to one address: the first that was counted would hold up the one that is written.
describe('RL-08: a mail that is not written uses up no quota', () => {
  it('of an address that nobody has', async () => {
    const email = uniqueEmail();
    await ask('forgot-password', email);
    await ask('resend-verification', email);
    await create({ email, password: PASSWORD });
    await ask('forgot-password', email);
    await ask('resend-verification', email);
    expect(await written(email)).toEqual(['reset-password', 'verify-email']);
  });

  it('of a customer who is verified', async () => {
    const email = uniqueEmail();
    const { body } = await create({ email, emailVerified: true });
    for (let tries = 0; tries < 5; tries += 1) await ask('resend-verification', email);
    await instance.sql('UPDATE customers SET email_verified = false WHERE id = $1', [body.id]);
    await ask('resend-verification', email);
    expect(await written(email)).toEqual(['verify-email']);
  });

  it('of a customer who is disabled', async () => {
    const email = uniqueEmail();
    const { body } = await create({ email });
    await instance.server('POST', `/api/v1/customers/${body.id}/disable`);
    await ask('forgot-password', email);
    await ask('resend-verification', email);
    await instance.server('POST', `/api/v1/customers/${body.id}/enable`);
    await ask('forgot-password', email);
    await ask('resend-verification', email);
    expect(await written(email)).toEqual(['reset-password', 'verify-email']);
  });

  it('of the project: as many unknown addresses as it has mails an hour', async () => {
    for (let done = 0; done < 2_000; done += 100) {
      await Promise.all(Array.from({ length: 100 }, () => ask('forgot-password', uniqueEmail())));
    }
    const email = uniqueEmail();
    await create({ email });
    await ask('forgot-password', email);
    expect(await written(email)).toEqual(['reset-password']);
  });
});
