import {
  addMethods,
  GatehouseError,
  invalidField,
  isRevoked,
  type MigratedProof,
  type ProjectSettings,
} from '@gatehouse/domain';
import type { CustomerForUpdate } from '@gatehouse/persistence';
import { now, type PasswordHasher } from '@gatehouse/platform';
import { parseTime } from '../http/input/time-field.js';
import type { CreateSignInTokenRequest } from './dto/sign-in-token.request.js';

/** Tolerance in ms if the other system's clock is ahead. */
const LEEWAY_MS = 60_000;

type Lifetimes = Pick<ProjectSettings, 'refreshAbsoluteTtl'>;
type RevocableCustomer = Pick<
  CustomerForUpdate,
  'accessRevokedAt' | 'claimedAt' | 'disabledAt' | 'imported' | 'passwordHash' | 'proofRequiredAt'
>;
type ImportedHashes = Pick<PasswordHasher, 'isImported'>;

/**
 * Returns the proof in a request for a sign-in token, or null for a support token.
 * @throws GatehouseError `validation_failed`
 */
export function readMigratedProof(
  { purpose, amr = [], authTime }: CreateSignInTokenRequest,
  settings: Lifetimes,
): MigratedProof | null {
  const time = parseTime(authTime);
  if (purpose !== 'migration') {
    const field = amr.length > 0 ? 'amr' : 'authTime';
    if (amr.length > 0 || time)
      throw invalidField(field, 'not_allowed', `${field} requires the purpose migration`);
    return null;
  }
  if (amr.length === 0) throw invalidField('amr', 'required', 'amr must contain at least one method');
  if (!time) throw invalidField('authTime', 'required', 'authTime is required');
  const ahead = time.getTime() - now().getTime();
  if (ahead > LEEWAY_MS) throw invalidField('authTime', 'invalid', 'authTime must not be in the future');
  if (isExpired(settings, time))
    throw invalidField(
      'authTime',
      'invalid',
      `authTime must not be older than refreshAbsoluteTtl, which is ${settings.refreshAbsoluteTtl} seconds`,
    );
  return { amr: addMethods([], amr), authTime: ahead > 0 ? now() : time };
}

/**
 * Checks that the other system still controls the access of a customer whom the transaction has locked, and that no
 * event has ended the access since the proof.
 * @throws GatehouseError `conflict`
 */
export function assertMigratable(
  hashes: ImportedHashes,
  customer: RevocableCustomer,
  { authTime }: MigratedProof,
): void {
  if (hasSeparateAccess(hashes, customer))
    throw new GatehouseError('conflict', {
      detail:
        'The customer has a password in Gatehouse that the other system may not know, or has proven ownership of the email address and removed all earlier access. The customer must sign in. A session can be moved only while the password is still the one from an import or from legacySignIn.',
    });
  if (isRevoked(customer, authTime))
    throw new GatehouseError('conflict', {
      detail:
        'An event after authTime has ended all access of the customer, such as a new password or a sign-out everywhere. The customer must sign in.',
    });
  if (isProofRequired(customer, authTime))
    throw new GatehouseError('conflict', {
      detail: 'A proof of identity after authTime is required. The customer must sign in.',
    });
}

/** Returns true if a session from another system can still be moved. The caller compares the proof with revocations. */
export const isMigratable = (
  hashes: ImportedHashes,
  settings: Lifetimes,
  customer: RevocableCustomer,
  authTime: Date,
): boolean =>
  // Disabling a customer revokes all access, but the sign-in returns a separate error in this case.
  (customer.disabledAt !== null || !hasSeparateAccess(hashes, customer)) &&
  !isExpired(settings, authTime) &&
  !isProofRequired(customer, authTime);

/**
 * Returns true if the customer has a password that the other system does not have, or has removed all earlier access. A
 * session there may then belong to a person who has only the old password. The first sign-in replaces an imported hash
 * without changing the password, and `legacySignIn` stores the other system's password. A password change also
 * ends all other access.
 */
function hasSeparateAccess(
  hashes: ImportedHashes,
  { accessRevokedAt, claimedAt, imported, passwordHash }: RevocableCustomer,
): boolean {
  if (claimedAt !== null) return true;
  if (passwordHash === null || hashes.isImported(passwordHash)) return false;
  return !imported || accessRevokedAt !== null;
}

const isExpired = ({ refreshAbsoluteTtl }: Lifetimes, authTime: Date): boolean =>
  authTime.getTime() + refreshAbsoluteTtl * 1_000 <= now().getTime();

const isProofRequired = ({ proofRequiredAt }: RevocableCustomer, authTime: Date): boolean =>
  proofRequiredAt !== null && authTime < proofRequiredAt;
