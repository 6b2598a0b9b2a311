import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resetTotpSteps } from './customer-factors.js';
import { expectStatus } from './customers.js';
import { createProviderUser } from './identity-providers/provider-user.js';
import type { StandInProvider } from './identity-providers/stand-in-provider.js';
import {
  addProvider,
  requestAsPage,
  createSocialProject,
  signInAt,
  type SocialProject,
} from './social-sign-in.js';
import { PASSWORD, type TestInstance, type TestResponse } from './test-instance.js';
import { randomTotpSecret, totpCode } from './totp.js';
import { uniqueEmail } from './unique-email.js';

/** A customer of another system, with everything that can be imported. */
export interface MovingCustomer {
  email: string;
  password: string;
  totpSecret: string;
  /** The customer's id at the identity provider `google`. */
  subject: string;
}

export const createMovingCustomer = (): MovingCustomer => ({
  email: uniqueEmail(),
  password: PASSWORD,
  totpSecret: randomTotpSecret(),
  subject: createProviderUser().sub,
});

/** Creates a project with optional second factors and the identity provider `google`. */
export async function createTargetProject(
  instance: TestInstance,
  standIn: StandInProvider,
): Promise<SocialProject> {
  const project = await createSocialProject(instance, { mfa: 'optional' });
  const { issuer } = standIn;
  await addProvider(instance, project, standIn, { type: 'google', issuer, slug: 'google' });
  return project;
}

/** Writes files into a new folder. @returns the folder */
export async function writeFiles(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-moving-in-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/** Returns the rows as CSV in PostgreSQL's format. */
export function toCsv(rows: Record<string, string | null>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const toCell = (value: string | null | undefined): string =>
    value === null || value === undefined
      ? ''
      : /[",\n]/.test(value)
        ? `"${value.replaceAll('"', '""')}"`
        : value;
  const lines = rows.map((row) => columns.map((name) => toCell(row[name])).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

/**
 * Signs a customer in with the previous password and with the identity provider. Both sign-ins use a code from the
 * authenticator app if there is one.
 * @returns the ids of the customers who were signed in
 */
export async function signInEverywhere(
  instance: TestInstance,
  project: SocialProject,
  standIn: StandInProvider,
  {
    email,
    password,
    totpSecret,
    subject,
  }: Omit<MovingCustomer, 'totpSecret'> & { totpSecret: string | null },
): Promise<{ withPassword: string; withProvider: string }> {
  const enterCode = async (response: TestResponse): Promise<string> => {
    if (totpSecret === null) return expectStatus(200, response).body.customer.id as string;
    const challengeToken = expectStatus(200, response).body.challenge.token as string;
    const body = { challengeToken, code: totpCode(totpSecret) };
    const { customer } = expectStatus(
      200,
      await requestAsPage(instance, project, 'challenge/totp', body),
    ).body;
    await resetTotpSteps(instance, customer);
    return customer.id as string;
  };
  const withPassword = await enterCode(await requestAsPage(instance, project, 'login', { email, password }));
  standIn.user = createProviderUser({ sub: subject, email });
  const result = await signInAt(instance, project, 'google');
  if ('error' in result) throw new Error(`the sign-in failed: ${result.error}`);
  return { withPassword, withProvider: await enterCode(result) };
}
