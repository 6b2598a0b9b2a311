import { GatehouseError, type Client } from '@gatehouse/js';
import { digits } from '../components/form.js';

/** The methods with which customers prove their identity. `current_password` is sent with the change itself. */
export type ProofMethod =
  | 'current_password'
  | 'password'
  | 'totp'
  | 'passkey'
  | 'email_code'
  | 'recovery_code'
  | 'provider';

const ORDER: ProofMethod[] = ['password', 'totp', 'passkey', 'email_code', 'recovery_code'];

/**
 * Returns the proofs that an error accepts, or null; one is required. The list is empty if the customer can give none.
 */
export function requiredProofs(error: unknown): ProofMethod[] | null {
  const { code, methods, fields } = error as GatehouseError;
  if (code === 'reauthentication_required') {
    const known = ORDER.filter((method) => methods.includes(method));
    // With a second factor, the sign-in at a provider is not sufficient.
    return known.includes('totp') || known.includes('recovery_code') ? known : [...known, 'provider'];
  }
  const isPassword = fields?.some(
    ({ field, code: problem }) => /^(currentPassword|password)$/.test(field) && problem === 'required',
  );
  return isPassword ? ['current_password'] : null;
}

/** Reauthenticates the customer with a value that they have entered. */
export function sendProof(client: Client, method: ProofMethod, value: string): Promise<void> {
  const { reauthenticate } = client;
  const code = value.trim();
  if (method === 'password') return reauthenticate.password({ password: value });
  if (method === 'totp') return reauthenticate.totp({ code: digits(value) });
  if (method === 'email_code') return reauthenticate.emailCode({ code });
  if (method === 'recovery_code') return reauthenticate.recoveryCode({ code });
  return reauthenticate.passkey();
}

/** Returns the error as the dialog shows it: the same code would also name the email address. */
export const proofError = (error: unknown): unknown =>
  (error as GatehouseError).code === 'invalid_credentials' ? new GatehouseError('wrong_password', '') : error;
