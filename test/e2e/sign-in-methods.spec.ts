import {
  inviteCustomer,
  NEW_PASSWORD,
  registerCustomer,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { insertOrganization } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const notEnabled = { status: 403, body: { code: 'method_not_enabled' } };
const withoutPassword = { signIn: { password: false, emailCode: true } };

describe('a project without passwords', () => {
  it('rejects every sign-in method with a password, and accepts them once passwords are on', async () => {
    const { email, id } = await registerCustomer(instance);
    const reset = await requestReset(instance, email);
    const invited = await inviteCustomer(instance);
    await withSettings(instance, withoutPassword, async () => {
      expect(await instance.login(email)).toMatchObject(notEnabled);
      expect(await instance.login(uniqueEmail(), 'wrong')).toMatchObject(notEnabled);
      expect(await instance.register()).toMatchObject(notEnabled);
      for (const address of [email, uniqueEmail()])
        expect(
          await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', {
            email: address,
          }),
        ).toMatchObject(notEnabled);
      for (const token of [reset, invited.token])
        expect(await submitToken(instance, 'reset-password', token)).toMatchObject(notEnabled);
      const page = await instance.request('GET', `/accept-invite?token=${invited.token}`);
      expect([page.status, page.body]).toEqual([403, expect.stringContaining('no longer available')]);
      const invitation = { email: uniqueEmail(), sendInvite: true };
      expect(await instance.requestWithSecretKey('POST', '/api/v1/customers', invitation)).toMatchObject(
        notEnabled,
      );
      expect(
        await instance.requestWithSecretKey('POST', `/api/v1/customers/${invited.id}/invite`),
      ).toMatchObject(notEnabled);
    });
    expect((await instance.login(email)).body.customer.id).toBe(id);
    expect((await submitToken(instance, 'reset-password', reset)).status).toBe(204);
    expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
  });

  it('neither accepts nor requires a password for reauthentication', async () => {
    const { id, tokens } = await registerCustomer(instance);
    await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [id]);
    const send = (path: string, body: object) =>
      instance.requestWithAccessToken(tokens.accessToken, 'POST', `/api/v1/me/${path}`, body);
    await withSettings(instance, withoutPassword, async () => {
      expect(await send('reauthenticate', { method: 'password', password: PASSWORD })).toMatchObject(
        notEnabled,
      );
      expect(await send('password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })).toMatchObject(
        notEnabled,
      );
      expect(await send('delete', { currentPassword: PASSWORD })).toMatchObject(notEnabled);
      await instance.sql(
        `UPDATE sessions SET created_at = now() - interval '1 hour' WHERE customer_id = $1`,
        [id],
      );
      expect(await send('delete', {})).toMatchObject({
        status: 403,
        body: { code: 'reauthentication_required', methods: ['email_code'] },
      });
      await instance.sql('UPDATE sessions SET auth_time = now() WHERE customer_id = $1', [id]);
      expect((await send('delete', {})).status).toBe(204);
    });
  });

  it('sends no link to set a password when an account is disowned', async () => {
    const { email } = await registerCustomer(instance);
    const token = await instance.getVerificationToken(email);
    await withSettings(instance, withoutPassword, async () => {
      expect((await submitToken(instance, 'disown', token)).status).toBe(200);
    });
    expect(await instance.listMailKinds(email)).toEqual(['verify-email']);
  });
});

it('only a secret key can create customers in a project without sign-up', async () => {
  const { email } = await registerCustomer(instance);
  await withSettings(instance, { signIn: { allowSignUp: false } }, async () => {
    for (const address of [email, uniqueEmail()])
      expect(await instance.register(address)).toMatchObject({
        status: 403,
        body: { code: 'sign_up_not_allowed' },
      });
    const body = { email: uniqueEmail(), password: PASSWORD };
    expect((await instance.requestWithSecretKey('POST', '/api/v1/auth/register', body)).status).toBe(201);
    expect((await instance.login(email)).status).toBe(200);
  });
});

it('each project needs a sign-in method, regardless of other projects', async () => {
  const path = `/api/v1/projects/${instance.credentials.projectId}`;
  const patch = (signIn: object) => instance.requestWithSecretKey('PATCH', path, { settings: { signIn } });
  expect(await patch({ password: false })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'settings.signIn.password', code: 'invalid' }] },
  });
  const other = await insertOrganization(instance);
  await withSettings(instance, withoutPassword, async () => {
    expect(await patch({ emailCode: null })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'settings.signIn.emailCode', code: 'invalid' }] },
    });
    const response = await instance.request('POST', '/api/v1/auth/register', {
      body: { email: uniqueEmail(), password: PASSWORD },
      headers: { 'x-publishable-key': other.publishableKey },
    });
    expect(response.status).toBe(201);
  });
});

it('the sign-in options follow the settings, and are equal for known and unknown addresses', async () => {
  const { email } = await registerCustomer(instance);
  const options = { password: true, emailCode: false, passkey: false, allowSignUp: true };
  const others = { mfa: 'off', providers: [] };
  const get = () => instance.requestWithPublishableKey('GET', '/api/v1/auth/options');
  const post = (address: string) =>
    instance.requestWithPublishableKey('POST', '/api/v1/auth/options', { email: address });
  expect(await get()).toMatchObject({ status: 200, body: { ...options, ...others } });
  for (const address of [email, uniqueEmail()])
    expect((await post(address)).body).toEqual({ ...options, ...others, provider: null });
  await withSettings(
    instance,
    { signIn: { password: false, emailCode: true, allowSignUp: false }, mfa: 'optional' },
    async () => {
      expect((await get()).body).toEqual({
        mfa: 'optional',
        providers: [],
        ...{ password: false, emailCode: true, passkey: false, allowSignUp: false },
      });
    },
  );
});
