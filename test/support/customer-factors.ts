import { randomBytes, randomUUID } from 'node:crypto';
import { PASSWORD, type TestInstance, type TestResponse } from './test-instance.js';
import { registerCustomer, type RegisteredCustomer } from './customers.js';
import { totpCode } from './totp.js';

/** A customer with an authenticator. */
export interface EnrolledCustomer extends RegisteredCustomer {
  factorId: string;
  secret: string;
  recoveryCodes: string[];
}

/** Makes a customer's used authenticator codes valid again, instead of waiting for the next time step. */
export const resetTotpSteps = (instance: TestInstance, { id }: { id: string }): Promise<unknown> =>
  instance.sql('UPDATE totp_factors SET last_step = 0 WHERE customer_id = $1', [id]);

/** Backdates all of a customer's proofs of identity by an hour. */
export const backdateProofs = (instance: TestInstance, { id }: { id: string }): Promise<unknown> =>
  instance.sql(
    `UPDATE sessions SET created_at = created_at - interval '1 hour', auth_time = auth_time - interval '1 hour',
       factor_time = factor_time - interval '1 hour' WHERE customer_id = $1`,
    [id],
  );

/** Adds an authenticator to a customer. The project must allow second factors. */
export async function enrollTotp(
  instance: TestInstance,
  customer: RegisteredCustomer,
): Promise<EnrolledCustomer> {
  const { accessToken } = customer.tokens;
  const path = '/api/v1/me/factors/totp';
  const added = await instance.requestWithAccessToken(accessToken, 'POST', path, { password: PASSWORD });
  if (added.status !== 201) throw new Error(`${added.status}: ${JSON.stringify(added.body)}`);
  const { id: factorId, secret } = added.body;
  const confirmed = await instance.requestWithAccessToken(
    accessToken,
    'POST',
    `${path}/${factorId}/confirm`,
    {
      code: totpCode(secret),
    },
  );
  if (confirmed.status !== 200) throw new Error(`${confirmed.status}: ${JSON.stringify(confirmed.body)}`);
  await resetTotpSteps(instance, customer);
  return { ...customer, factorId, secret, recoveryCodes: confirmed.body.recoveryCodes };
}

/** Registers a customer with an authenticator. The project must allow second factors, but not require them. */
export const registerWithTotp = async (instance: TestInstance): Promise<EnrolledCustomer> =>
  enrollTotp(instance, await registerCustomer(instance));

/** Logs a customer in with the password. @returns the challenge's token */
export async function openChallenge(instance: TestInstance, email: string): Promise<string> {
  const { status, body } = await instance.login(email);
  if (!body.challenge) throw new Error(`no challenge: ${status} ${JSON.stringify(body)}`);
  return body.challenge.token as string;
}

/** Completes a challenge with a code. */
export const completeChallenge = (
  instance: TestInstance,
  challengeToken: string,
  code: string,
  method: 'totp' | 'recovery-code' = 'totp',
): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', `/api/v1/auth/challenge/${method}`, { challengeToken, code });

/** Inserts an authenticator with an unknown secret. @returns the factor's id */
export async function insertTotpFactor(instance: TestInstance, customerId: string): Promise<string> {
  const id = randomUUID();
  await instance.sql(
    'INSERT INTO totp_factors (id, customer_id, secret, last_step, confirmed_at) VALUES ($1, $2, $3, 0, now())',
    [id, customerId, randomBytes(32)],
  );
  return id;
}
