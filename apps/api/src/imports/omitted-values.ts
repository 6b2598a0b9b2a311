import type { FieldError } from '@gatehouse/domain';

/**
 * Limits for the stored errors and warnings of a line, because the sender chooses the number and names of its fields.
 */
const MAX_ERRORS = 20;
const MAX_FIELD_LENGTH = 100;

const AGAIN = 'import the customer again with update';
const PATCH = 'set it with PATCH /api/v1/customers/{id}';

const metadata = `Shorten the metadata and ${PATCH}, or store the value elsewhere`;
const text = `Correct the value and ${AGAIN}, or ${PATCH}`;

/** Remedies for values that were left out, by field or by field and error code. */
const remedies: Record<string, string> = {
  passwordHash: `Ask the customer to reset the password, or ${AGAIN} and a hash in an accepted format`,
  'passwordHash unknown_pepper': `Append the old secret to GATEHOUSE_SECRET and ${AGAIN}, or ask the customer to reset the password`,
  'passwordHash fast_hash': `Ask the customer to reset the password, or ${AGAIN} and allowFastHashes (--allow-fast-hashes)`,
  totpSecret: `Ask the customer to add the authenticator app again, or ${AGAIN} and the secret in base32`,
  passkeys: `Ask the customer to add the passkey again, or correct it and ${AGAIN}`,
  'passkeys not_allowed': `Set passkeys.rpId of the project to the domain of the passkey and ${AGAIN}`,
  'passkeys passkey_taken': `Remove the passkey from the other customer and ${AGAIN}`,
  identities: `Correct the identity and ${AGAIN}`,
  'identities provider_not_found': `Create the identity provider and ${AGAIN}`,
  'identities identity_already_linked': `Remove the identity from the other customer and ${AGAIN}`,
  ...{ metadata, publicMetadata: metadata, firstName: text, lastName: text, locale: text },
  ...{ 'metadata invalid': text, 'metadata too_deep': text },
  ...{ 'publicMetadata invalid': text, 'publicMetadata too_deep': text },
  createdAt: 'Correct the time, delete the customer and import them again',
  updatedAt: `Correct the time and ${AGAIN}`,
  lastLoginAt: `Correct the time and ${AGAIN}`,
  projectId: 'No action is necessary, because imports ignore the project of a line',
};

const remediesByCode: Record<string, string> = {
  repeated: 'No action is necessary, because the first entry was imported',
  inexact_integer: `Write the number as a string and ${AGAIN}`,
};

/** Returns the customer field at the beginning of a path. */
export const rootOf = (path: string): string => path.split('.', 1)[0]!;

/** Returns the warning for a value that was left out: the problem, followed by the remedy. */
export function omittedValueWarning({ field, code, message }: FieldError): FieldError {
  const root = rootOf(field);
  const remedy =
    remedies[`${root} ${code}`] ?? remediesByCode[code] ?? remedies[root] ?? `Correct it and ${AGAIN}`;
  return { field, code, message: `${message}. ${remedy}.` };
}

/** Returns the errors to store. */
export const limitErrors = (errors: FieldError[]): FieldError[] =>
  errors.slice(0, MAX_ERRORS).map(truncateError);

/**
 * Returns a warning's rank. Warnings with low ranks are kept first, because they concern values that customers need to
 * sign in as before.
 */
const priority = ({ field }: FieldError): number => {
  const root = rootOf(field);
  if (root === 'passwordHash' || root === 'totpSecret') return 0;
  return root === 'metadata' || root === 'publicMetadata' ? 2 : 1;
};

/**
 * Returns the warnings to store. If there are too many, warnings about credentials are kept first and warnings about
 * metadata last. The last warning then states how many values are not listed.
 */
export function limitWarnings(warnings: FieldError[]): FieldError[] {
  if (warnings.length <= MAX_ERRORS) return warnings.map(truncateError);
  const sorted = warnings.toSorted((one, other) => priority(one) - priority(other));
  const shown = sorted.slice(0, MAX_ERRORS - 1);
  const message = `${warnings.length - shown.length} more values were left out. Correct the values that are listed and ${AGAIN}.`;
  return [...shown.map(truncateError), { field: '', code: 'more_warnings', message }];
}

function truncateError({ field, code, message }: FieldError): FieldError {
  if (field.length <= MAX_FIELD_LENGTH) return { field, code, message };
  // PostgreSQL cannot store a lone surrogate.
  const short = field.slice(0, MAX_FIELD_LENGTH).replace(/[\ud800-\udbff]$/, '');
  return { field: short, code, message: message.replaceAll(field, () => short) };
}
