import type { AuthenticationMethod } from './authentication-method.js';
import type { Scope } from '../api-keys/scopes.js';

/** The purposes of sign-in tokens: access by support and tests, and the sessions of another system. */
export const signInTokenPurposes = ['support', 'migration'] as const;
export type SignInTokenPurpose = (typeof signInTokenPurposes)[number];

/** The scope that a secret key requires to create a sign-in token. */
export const signInTokenScopes: Readonly<Record<SignInTokenPurpose, Scope>> = {
  support: 'customer:impersonate',
  migration: 'session:migrate',
};

/** How, and when, the customer of another system's session has proven their identity there. */
export interface MigratedProof {
  amr: AuthenticationMethod[];
  authTime: Date;
}
