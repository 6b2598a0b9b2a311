import { randomBytes, randomUUID } from 'node:crypto';
import { expectStatus, registerCustomer, type RegisteredCustomer, type Tokens } from './customers.js';
import { SoftwareAuthenticator, type Deviations } from './software-authenticator.js';
import { PASSWORD, type TestInstance, type TestResponse } from './test-instance.js';

/** A customer with a passkey. */
export interface PasskeyCustomer extends RegisteredCustomer {
  passkeyId: string;
  authenticator: SoftwareAuthenticator;
  recoveryCodes: string[] | null;
}

/** Requests the options for a signed-in customer's new passkey. */
export async function requestNewPasskey(instance: TestInstance, { accessToken }: Tokens): Promise<any> {
  const body = { password: PASSWORD };
  const response = await instance.requestWithAccessToken(
    accessToken,
    'POST',
    '/api/v1/me/passkeys/options',
    body,
  );
  return expectStatus(200, response).body.options;
}

/** Adds a passkey to a customer, who reauthenticates with the password. */
export async function addPasskey(
  instance: TestInstance,
  tokens: Tokens,
  authenticator: SoftwareAuthenticator,
  deviations: Deviations = {},
): Promise<TestResponse> {
  const options = await requestNewPasskey(instance, tokens);
  return instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/me/passkeys', {
    response: authenticator.create(options, deviations),
  });
}

/** Registers a customer with a passkey. The project must allow passkeys, but not require a second factor. */
export async function registerWithPasskey(
  instance: TestInstance,
  authenticator = new SoftwareAuthenticator(),
): Promise<PasskeyCustomer> {
  const customer = await registerCustomer(instance);
  const { body } = expectStatus(201, await addPasskey(instance, customer.tokens, authenticator));
  return { ...customer, passkeyId: body.passkey.id, authenticator, recoveryCodes: body.recoveryCodes };
}

/** Requests the options for a sign-in with any passkey. */
export async function requestPasskey(instance: TestInstance): Promise<any> {
  const response = await instance.requestWithPublishableKey('POST', '/api/v1/auth/passkey/options');
  return expectStatus(200, response).body.options;
}

export async function signInWithPasskey(
  instance: TestInstance,
  authenticator: SoftwareAuthenticator,
  deviations: Deviations = {},
): Promise<TestResponse> {
  const response = authenticator.get(await requestPasskey(instance), deviations);
  return instance.requestWithPublishableKey('POST', '/api/v1/auth/passkey', { response });
}

/** Returns a passkey in the format in which another system exports it. */
export const portablePasskey = (authenticator = new SoftwareAuthenticator(), rpId = 'localhost') => ({
  rpId,
  credentialId: authenticator.id,
  publicKey: authenticator.coseKey().toString('base64url'),
});

/** Inserts a passkey with an unknown key. @returns the passkey's id */
export async function insertPasskey(instance: TestInstance, customerId: string): Promise<string> {
  const id = randomUUID();
  await instance.sql(
    `INSERT INTO passkeys (id, project_id, customer_id, credential_id, public_key, counter, transports, device_bound,
       backed_up, aaguid, name)
     SELECT $1, project_id, id, $3, $4, 0, '{internal}', false, true, '00000000-0000-0000-0000-000000000000', 'Phone'
     FROM customers WHERE id = $2`,
    [id, customerId, randomBytes(32), randomBytes(77)],
  );
  return id;
}
