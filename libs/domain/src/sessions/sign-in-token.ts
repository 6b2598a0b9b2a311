import type { AuthenticationMethod } from './authentication-method.js';
import type { Scope } from '../api-keys/scopes.js';

/** The purposes for sign-in tokens: access by support and tests, and another system's sessions. */
export const signInTokenPurposes = ['support', 'migration'] as const;
export type SignInTokenPurpose = (typeof signInTokenPurposes)[number];

/** The scope that a secret key requires to create a sign-in token. */
export const signInTokenScopes: Readonly<Record<SignInTokenPurpose, Scope>> = {
  support: 'customer:impersonate',
  migration: 'session:migrate',
};

/** The methods with which the customer proved their identity for another system's session, and the time. */
export interface MigratedProof {
  amr: AuthenticationMethod[];
  authTime: Date;
}
