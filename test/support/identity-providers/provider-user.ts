import { randomUUID } from 'node:crypto';
import { uniqueEmail } from '../unique-email.js';

/** A provider's user, with standard OpenID Connect claims and other claims. */
export interface ProviderUser {
  sub: string;
  email?: string | undefined;
  /** Some providers send a string. */
  email_verified?: unknown;
  name?: string | undefined;
  given_name?: string | undefined;
  family_name?: string | undefined;
  picture?: string | undefined;
  [claim: string]: unknown;
}

/** Returns a user with a unique subject and a unique, verified email address. */
export const createProviderUser = (claims: Partial<ProviderUser> = {}): ProviderUser => ({
  sub: randomUUID(),
  email: uniqueEmail(),
  email_verified: true,
  name: 'Ada Byron',
  given_name: 'Ada',
  family_name: 'Byron',
  picture: 'https://images.example.com/ada.png',
  ...claims,
});

/** Returns a copy with some members changed. `undefined` removes a member. */
export const withDifferences = <Value extends object>(base: Value, differences: object): Value =>
  Object.fromEntries(
    Object.entries({ ...base, ...differences }).filter(([, value]) => value !== undefined),
  ) as Value;
