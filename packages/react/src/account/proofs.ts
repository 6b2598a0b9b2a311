import { GatehouseError, type Client } from '@gatehouse/js';
import { digits } from '../components/form.js';

/** The reauthentication methods. `current_password` is sent with the change itself. */
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
 * Returns the reauthentication methods that an error accepts, or null if it does not require reauthentication. The list
 * is empty if the customer has none of the methods.
 */
export function requiredProofs(error: unknown): ProofMethod[] | null {
  const { code, methods, fields } = error as GatehouseError;
  if (code === 'reauthentication_required') {
    const known = ORDER.filter((method) => methods.includes(method));
    // For customers with a second factor, a sign-in with a provider is not sufficient.
    return known.includes('totp') || known.includes('recovery_code') ? known : [...known, 'provider'];
  }
  const isPassword = fields?.some(
    ({ field, code: problem }) => /^(currentPassword|password)$/.test(field) && problem === 'required',
  );
  return isPassword ? ['current_password'] : null;
}

/** Reauthenticates the customer with the value that they entered. */
export function sendProof(client: Client, method: ProofMethod, value: string): Promise<void> {
  const { reauthenticate } = client;
  const code = value.trim();
  if (method === 'password') return reauthenticate.password({ password: value });
  if (method === 'totp') return reauthenticate.totp({ code: digits(value) });
  if (method === 'email_code') return reauthenticate.emailCode({ code });
  if (method === 'recovery_code') return reauthenticate.recoveryCode({ code });
  return reauthenticate.passkey();
}

/** Replaces `invalid_credentials` for display in the dialog, because its message also mentions the email address. */
export const proofError = (error: unknown): unknown =>
  (error as GatehouseError).code === 'invalid_credentials' ? new GatehouseError('wrong_password', '') : error;
