import { createTestClient, TestClientError, type TestClient } from '@gatehouse/testing';
import { decodeJwt } from 'jose';
import { withSettings } from '../support/customers.js';
import { insertKey } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let client: TestClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  // The scopes listed in the README.
  const scopes = ['customer:write', 'customer:delete', 'customer:impersonate'];
  const secretKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
  const { publishableKey } = instance.credentials;
  client = createTestClient({ url: `${instance.baseUrl}/`, secretKey, publishableKey });
});
afterAll(async () => instance?.stop());

const countCustomers = async (ids: string[]): Promise<number> =>
  (await instance.sql('SELECT id FROM customers WHERE id = ANY ($1::uuid[])', [ids])).length;

it('@gatehouse/testing creates verified customers with unique addresses and the given fields', async () => {
  const [first, second] = await Promise.all([client.createCustomer(), client.createCustomer()]);
  expect(first).toMatchObject({ email: expect.stringMatching(/@example\.com$/), emailVerified: true });
  expect(first.email).not.toBe(second.email);
  const fields = { email: 'grace@shop.test', emailVerified: false, firstName: 'Grace' };
  expect(await client.createCustomer(fields)).toMatchObject(fields);
});

it('@gatehouse/testing signs a customer in with a token, and the audit log contains the reason', async () => {
  const { id } = await client.createCustomer();
  const { tokens, customer } = await client.signInAs(id, { reason: 'Test of the checkout' });
  expect(customer).toMatchObject({ id });
  expect(decodeJwt(tokens!.accessToken)).toMatchObject({ sub: id, amr: ['support'] });
  await client.signInToken(id);
  const entries = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`);
  const reasons = entries.body.data.map(({ action, details }: any) => [action, details.reason]);
  expect(reasons).toEqual(
    expect.arrayContaining([
      ['customer.sign_in_token_created', 'End-to-end test'],
      ['customer.sign_in_token_used', 'Test of the checkout'],
      ['customer.sign_in_token_created', 'Test of the checkout'],
    ]),
  );
});

it("@gatehouse/testing signs in with the project's test code, without an email", async () => {
  const signIn = { password: true, emailCode: true, passkey: false, allowSignUp: true };
  await withSettings(instance, { signIn, testEmailCode: '424242' }, async () => {
    const { email } = await client.createCustomer();
    const { customer, tokens } = await client.testEmailCode(email, '424242');
    expect([customer!.email, typeof tokens!.accessToken]).toEqual([email, 'string']);
    expect(await instance.listMailKinds(email)).toEqual([]);
    await expect(client.testEmailCode(email, '000000')).rejects.toMatchObject({ code: 'invalid_code' });
  });
});

it('@gatehouse/testing deletes only its own customers, even if a test has deleted one', async () => {
  await client.deleteCustomers();
  const other = (await instance.register()).body.customer.id as string;
  const created = [
    await client.createCustomer(),
    await client.createCustomer(),
    await client.createCustomer(),
  ];
  const ids = created.map(({ id }) => id);
  await client.deleteCustomers([ids[0]!]);
  expect(await countCustomers(ids)).toBe(2);
  await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${ids[1]}`);
  await client.deleteCustomers();
  expect(await countCustomers(ids)).toBe(0);
  expect(await countCustomers([other])).toBe(1);
});

it('@gatehouse/testing throws the status, code and missing scope of an error response', async () => {
  const scopes = ['customer:write'];
  const secretKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
  const limited = createTestClient({ ...client, secretKey });
  const { id } = await limited.createCustomer();
  const error = await limited.signInToken(id).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TestClientError);
  expect(error).toMatchObject({
    status: 403,
    code: 'insufficient_scope',
    message: expect.stringMatching(/sign-in-tokens: 403 insufficient_scope: .*customer:impersonate/),
  });
});
