import type { Reason } from './reasons.js';

const EXPORT_COLUMN = 'Export the table with this column, and run the command again';
const EXPORT_CLERK_JSON =
  'Export the users as JSON and add the file to the command, or check the user in Clerk and correct the customer';

/**
 * The reasons for values that are unknown because a file, a column or a row is missing, or because they cannot be read.
 */
export const unknown = {
  ban: {
    reason: 'The value does not show whether the user is banned, so the user is not imported',
    remedy: 'Correct the value in the file, and run the command again',
  },
  banColumn: {
    reason: 'The column is missing, so it is unknown whether the user is banned: the customer can sign in',
    remedy: `${EXPORT_COLUMN}, or disable the customer if the user is banned`,
  },
  banField: {
    reason: 'No user in the files has this field, so it is unknown whether the user is banned',
    remedy:
      'Export the users with this field, and run the command again. If no user was ever banned, nothing is missing',
  },
  verificationField: {
    reason: 'No user in the files has this field, so the email address is imported as not verified',
    remedy: 'Export the users with this field, and run the command again',
  },
  factorField: {
    reason: 'No user in the files has this field, so it is unknown whether the user has a second factor',
    remedy:
      'Export the users with this field, and run the command again. If no user has a second factor, nothing is missing',
  },
  field: {
    reason: 'No user in the files has this field, so its values are left out if there are any',
    remedy:
      'Export the users with this field, and run the command again. If no user has a value, nothing is missing',
  },
  banState: {
    reason: 'The value is missing, so it is unknown whether the user is banned: the customer can sign in',
    remedy: 'Export the users with this value, or disable the customer if the user is banned',
  },
  column: { reason: 'The column is missing, so its values are left out', remedy: EXPORT_COLUMN },
  confirmationColumn: {
    reason: 'The column is missing, so the email address is imported as not verified',
    remedy: `${EXPORT_COLUMN}, or ask the customer to verify the address`,
  },
  deletionColumn: {
    reason: 'The column is missing, so it is unknown whether the user is deleted: the customer can sign in',
    remedy: `${EXPORT_COLUMN}, or delete the customer if the user was deleted`,
  },
  anonymousColumn: {
    reason: 'The column is missing, so it is unknown whether the user is anonymous',
    remedy: `${EXPORT_COLUMN}, or delete the customer if the user is anonymous`,
  },
  roleColumn: {
    reason:
      'The column is missing, so it is unknown whether the user has special rights, which Gatehouse does not store',
    remedy: EXPORT_COLUMN,
  },
  deletion: {
    reason: 'The value is not a time, so the user is imported as not deleted',
    remedy: 'Delete the customer if the user was deleted',
  },
  confirmation: {
    reason: 'The value is not a time, so the email address is imported as not verified',
    remedy: 'Ask the customer to verify the address',
  },
  verification: {
    reason:
      'The file does not state whether the email address is verified, so it is imported as not verified',
    remedy: 'Ask the customer to verify the address',
  },
  provenance: {
    reason:
      'The file does not state which identity provider has set the address, so it is imported as not verified',
    remedy: 'Ask the customer to verify the address',
  },
  boolean: {
    reason: 'The value is neither true nor false',
    remedy: 'Correct the value in the file, and run the command again',
  },
  identities: {
    reason: 'No file contains the table auth.identities, so the id of the account is unknown',
    remedy: 'Export auth.identities, and add the file to the command',
  },
  identityRow: {
    reason: 'The user has an account at this provider that auth.identities does not contain',
    remedy: 'Export auth.identities again with all rows, and run the command again',
  },
  factors: {
    reason:
      'No file contains the table auth.mfa_factors, so it is unknown whether the user has a second factor',
    remedy: 'Export auth.mfa_factors, and add the file to the command',
  },
  factorStatus: {
    reason: 'The status of the second factor is neither verified nor unverified',
    remedy: 'Export auth.mfa_factors with the column status, and run the command again',
  },
  linkedAccounts: {
    reason:
      'The export does not contain the field identities, so it is unknown whether the user has linked accounts',
    remedy: 'Export the users with the field identities, and run the command again',
  },
  clerkJson: {
    reason: 'The user is missing from the JSON export, and the CSV export does not contain this value',
    remedy: EXPORT_CLERK_JSON,
  },
  clerkField: { reason: 'The JSON export does not contain this value', remedy: EXPORT_CLERK_JSON },
  clerkBans: {
    reason: 'The files state both that the user is banned and that the user is not: the customer is disabled',
    remedy: 'Correct the file that is wrong, or enable the customer',
  },
  clerkAccounts: {
    reason: 'The JSON export contains no external accounts',
    remedy: 'Export the users from the Backend API instead, and run the command again',
  },
  clerkCsv: {
    reason: 'The user is not in the CSV export, the only file with passwords and authenticator apps',
    remedy: 'Download the CSV export again, and run the command again',
  },
} satisfies Record<string, Reason>;
