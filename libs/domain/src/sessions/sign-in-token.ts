import type { AuthenticationMethod } from './authentication-method.js';
import type { Scope } from '../api-keys/scopes.js';

/** The purposes of sign-in tokens: access for support and tests, and the migration of sessions from another system. */
export const signInTokenPurposes = ['support', 'migration'] as const;
export type SignInTokenPurpose = (typeof signInTokenPurposes)[number];

/** The scope that a secret key requires to create a sign-in token. */
export const signInTokenScopes: Readonly<Record<SignInTokenPurpose, Scope>> = {
  support: 'customer:impersonate',
  migration: 'session:migrate',
};

/** How and when the customer authenticated in the other system. */
export interface MigratedProof {
  amr: AuthenticationMethod[];
  authTime: Date;
}
