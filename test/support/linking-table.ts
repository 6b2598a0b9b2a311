import { expectStatus } from './customers.js';
import { createProviderUser, type ProviderUser } from './identity-providers/provider-user.js';
import type { StandInProvider } from './identity-providers/stand-in-provider.js';
import { addProvider, requestAsPage, type SocialProject } from './social-sign-in.js';
import { PASSWORD, type TestInstance } from './test-instance.js';

/**
 * One row for each outcome of the linking table, which social-sign-in.spec.ts tests completely. A row contains the
 * provider, the customer who has the email address, and the outcome.
 */
export const LINKING_TABLE = [
  ['trusted', 'verified', 'session'],
  ['untrusted', 'verified', 'account_exists'],
  ['untrusted', 'disabled', 'customer_disabled'],
  ['untrusted-closed', 'none', 'sign_up_not_allowed'],
] as const;

/**
 * Adds the providers of the table, which contains their slugs. Google's email addresses from a Workspace domain are
 * trusted.
 */
export async function addLinkingProviders(
  instance: TestInstance,
  project: SocialProject,
  server: StandInProvider,
): Promise<void> {
  const { issuer } = server;
  for (const slug of new Set(LINKING_TABLE.map(([provider]) => provider)))
    await addProvider(instance, project, server, {
      ...{ slug, name: slug, issuer },
      type: slug.startsWith('trusted') ? 'google' : 'gitlab',
      allowSignUp: !slug.endsWith('closed'),
    });
}

/** Registers a row's customer. @returns a user with the customer's email address */
export async function createLinkingUser(
  instance: TestInstance,
  project: SocialProject,
  customer: (typeof LINKING_TABLE)[number][1],
): Promise<ProviderUser> {
  const user = createProviderUser({ hd: 'example.com' });
  if (customer === 'none') return user;
  const body = { email: user.email, password: PASSWORD };
  const { id } = expectStatus(201, await requestAsPage(instance, project, 'register', body)).body.customer;
  await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [id]);
  if (customer === 'disabled')
    expectStatus(200, await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`));
  return user;
}
