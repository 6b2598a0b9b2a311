/** The reason why an import leaves something out, and the remedy. */
export interface Reason {
  /**
   * A sentence without a period and without values, because the summary counts equal reasons, and a value could be a
   * secret.
   */
  reason: string;
  /** The way to move the value to Gatehouse, or to do without it: also a sentence without a period and without values. */
  remedy: string;
}

export const RESET = 'Send the customer a password reset, or let them sign in with an email code';
export const NEW_FACTOR =
  'Ask the customer to set up a second factor again: until then, they sign in without it';
const CORRECT_FILE = 'Correct the file, and run the command again';
export const STORE_ELSEWHERE = 'Store it in your own database or in metadata';
const STORE_VALUE = 'Store the value in your own database';
export const LINK_AGAIN = 'Ask the customer to sign in by email once and link the account';
export const EXPORT_AGAIN = 'Export the file again, and run the command again';

/** The reasons that sources report. */
export const reasons = {
  invalidRecord: { reason: 'The record is not in the format of this export', remedy: CORRECT_FILE },
  wrongType: {
    reason: 'The value has a different type than in exports from this system, so it is left out',
    remedy: CORRECT_FILE,
  },
  inexactInteger: {
    reason: 'It contains an integer that a JSON number cannot represent',
    remedy: 'Write it as a string in the file, and run the command again',
  },
  noEmail: {
    reason: 'The user has no email address, but every customer needs one',
    remedy:
      'The user is not imported and cannot sign in at Gatehouse: add an email address to the file, and run the command again',
  },
  noField: { reason: 'Gatehouse has no field for this value', remedy: STORE_ELSEWHERE },
  noColumn: {
    reason: 'No customer field has this name',
    remedy:
      'Pass --map <column>=<field>, such as --map plan=metadata.plan, or --map <column>= to ignore the column',
  },
  cellNotObject: { reason: 'The cell is not a JSON object', remedy: CORRECT_FILE },
  cellNotList: { reason: 'The cell is not a JSON array', remedy: CORRECT_FILE },
  wrongCells: {
    reason: 'The row has more or fewer cells than the header',
    remedy: 'Quote each cell that contains the delimiter, and run the command again',
  },
  noUsername: {
    reason: 'Customers have no username',
    remedy: 'Ask the customer to sign in with the email address',
  },
  noPhone: { reason: 'Customers have no phone number', remedy: STORE_ELSEWHERE },
  noImageUrl: {
    reason: 'Gatehouse accepts an image only as an https URL of at most 2048 characters',
    remedy: 'Nothing. A sign-in at an identity provider sets the image if it is missing',
  },
  clerkImage: {
    reason: 'Clerk stores the image, and deletes it with the account at Clerk',
    remedy: 'Nothing. A sign-in at an identity provider sets the image if it is missing',
  },
  noRoles: { reason: 'Gatehouse has no roles', remedy: STORE_ELSEWHERE },
  noGroups: { reason: 'Gatehouse has no groups', remedy: STORE_ELSEWHERE },
  noRequiredAction: {
    reason: 'Gatehouse has no such required action',
    remedy: 'Require the action in your application',
  },
  oneEmail: {
    reason: 'A customer has one email address: additional addresses are left out',
    remedy: 'Ask the customer to sign in with the imported address',
  },
  onePassword: {
    reason: 'A customer has one password, so passwords of other linked accounts are left out',
    remedy: 'Ask the customer to sign in with the imported password',
  },
  oneApp: {
    reason: 'A customer has one authenticator app: additional ones are left out',
    remedy: 'Ask the customer to use the first app',
  },
  repeatedId: {
    reason: 'Another user in the files has the same id',
    remedy: 'Correct the id of one of them, or import the users of two systems into two projects',
  },
  longId: {
    reason: 'The id is longer than 255 characters',
    remedy: 'Find the customer by the email address',
  },
  longName: {
    reason: 'The name is longer than 100 characters',
    remedy: 'Set a shorter name after the import',
  },
  nameWithControlCharacters: {
    reason: 'The name contains control characters',
    remedy: 'Set the name without them after the import',
  },
  nullName: {
    reason: 'The name is NULL, null or \\N, which databases write for a missing value',
    remedy: 'If it is a real name, set it after the import',
  },
  invisibleName: { reason: 'The name has no visible character', remedy: 'Set a name after the import' },
  noTime: { reason: 'The value is not a valid time after 1970', remedy: CORRECT_FILE },
  noLanguageTag: {
    reason: 'The language is not a BCP 47 tag',
    remedy: 'Set the locale of the customer after the import',
  },
  metadataNotObject: { reason: 'The metadata is not a JSON object', remedy: CORRECT_FILE },
  customClaimsNotObject: { reason: 'The custom claims are not a JSON object', remedy: CORRECT_FILE },
  metadataTooDeep: { reason: 'Metadata is nested deeper than 19 levels', remedy: STORE_VALUE },
  metadataTooLarge: { reason: 'Metadata is larger than 8 KiB', remedy: STORE_VALUE },
  metadataTooManyKeys: { reason: 'Metadata has more than 50 keys', remedy: STORE_VALUE },
  metadataNameTaken: {
    reason: 'The metadata contains a different value with this name',
    remedy: 'Rename one of the values in the file, and run the command again',
  },
  reservedName: {
    reason: 'The name is reserved and cannot be a key in metadata',
    remedy: 'Rename the value in the file, and run the command again',
  },
  hashFormat: { reason: 'Gatehouse does not accept this password hash format', remedy: RESET },
  hashAlgorithm: { reason: 'Gatehouse does not accept this hash algorithm', remedy: RESET },
  hasher: { reason: 'Gatehouse does not accept hashes from this hasher', remedy: RESET },
  argon2Version: {
    reason: 'Gatehouse accepts argon2 only as argon2id or argon2i of version 1.3',
    remedy: RESET,
  },
  malformedHash: { reason: 'The password hash is malformed', remedy: RESET },
  hashNotBase64: { reason: 'The hash or the salt is missing or not base64', remedy: RESET },
  noFirebaseHash: { reason: 'The hash is not a Firebase hash', remedy: RESET },
  hashRedacted: {
    reason: 'The hash is redacted',
    remedy: 'Export the users again with an account that has the Firebase Authentication Admin role',
  },
  cognitoPassword: {
    reason: 'Cognito exports no password hashes',
    remedy: 'Use legacySignIn, or send the customer a password reset',
  },
  missingPassword: {
    reason: 'The files contain no password for this user',
    remedy: 'Add the password export to the command, or send the customer a password reset',
  },
  passwordInCsv: {
    reason: 'Only the CSV export contains password hashes',
    remedy: 'Add the CSV export of the dashboard to the command',
  },
  passwordToChange: {
    reason: 'The customer must change the password (UPDATE_PASSWORD), so it is left out',
    remedy: RESET,
  },
  passwordToReset: { reason: 'The customer must reset the password, so it is left out', remedy: RESET },
  federatedPassword: { reason: 'The password is in a user federation such as LDAP', remedy: RESET },
  otherRow: {
    reason:
      'Another row with the same id has a different password or authenticator app, which is imported instead',
    remedy: 'Remove the wrong row from the files, and run the command again',
  },
  otherInCsv: {
    reason:
      'The CSV export has a different value than the JSON export: the value in the JSON export is imported',
    remedy: 'Correct the file that is wrong, and run the command again',
  },
  missingPages: {
    reason: 'The pages state a larger number of users than the files contain: the export is incomplete',
    remedy: 'Add the other pages to the command',
  },
  unmatchedPassword: { reason: 'No user in the files has the id of this password', remedy: EXPORT_AGAIN },
  unmatchedRow: {
    reason: 'No user in the files has the id of this identity or factor',
    remedy: EXPORT_AGAIN,
  },
  noPasswordHistory: {
    reason: 'Gatehouse has no history of passwords',
    remedy: 'Nothing: the customer keeps the current password',
  },
  credentialNotJson: { reason: 'secretData or credentialData is missing or not JSON', remedy: EXPORT_AGAIN },
  credentialType: { reason: 'Gatehouse does not import this type of credential', remedy: NEW_FACTOR },
  secretNotBase32: {
    reason: 'The secret of the authenticator app is not base32 with at least 80 bits',
    remedy: NEW_FACTOR,
  },
  secretEncoding: { reason: 'The encoding of the secret is unknown', remedy: NEW_FACTOR },
  secretInCsv: {
    reason: 'Only the CSV export contains the secrets of authenticator apps',
    remedy: 'Add the CSV export of the dashboard to the command',
  },
  supabaseSecret: {
    reason: 'Supabase has encrypted the secret of the authenticator app',
    remedy: NEW_FACTOR,
  },
  noSecret: { reason: 'The export contains no secret of the second factor', remedy: NEW_FACTOR },
  firebaseFactor: {
    reason: 'Firebase exports no second factor that Gatehouse can verify',
    remedy: NEW_FACTOR,
  },
  cognitoFactor: { reason: 'Cognito exports no second factors', remedy: NEW_FACTOR },
  onlyTotp: { reason: 'Only authenticator apps (TOTP) can be moved', remedy: NEW_FACTOR },
  totpParameters: {
    reason: 'Gatehouse accepts authenticator apps only with TOTP, SHA-1, 6 digits and 30 seconds',
    remedy: NEW_FACTOR,
  },
  securityKey: {
    reason: 'A security key that was only a second factor might not verify the customer, unlike a passkey',
    remedy: 'Ask the customer to add a passkey',
  },
  recoveryCodes: {
    reason: 'Recovery codes cannot be moved',
    remedy: 'Ask the customer to create new recovery codes',
  },
  clerkBackupCodes: {
    reason: 'Clerk does not export backup codes',
    remedy: 'Ask the customer to create recovery codes',
  },
  clerkPasskeys: {
    reason: 'Clerk does not export passkeys',
    remedy: 'Ask the customer to add a passkey again',
  },
  auth0Passkeys: {
    reason: 'Auth0 does not export passkeys',
    remedy: 'Ask the customer to add a passkey again',
  },
  passkeyWithoutDomain: {
    reason: 'Passkeys are imported only with the domain to which they are bound',
    remedy: 'Set passkeys.rpId of the project, and pass --rp-id <domain>',
  },
  malformedPasskey: {
    reason: 'The id or the public key of the passkey is malformed',
    remedy: 'Ask the customer to add a passkey again',
  },
  identityWithoutId: {
    reason: 'The account at the provider has no id, or one that JSON cannot represent',
    remedy: LINK_AGAIN,
  },
  identityNotVerified: { reason: 'The external account is not verified', remedy: LINK_AGAIN },
  identitiesNotList: { reason: 'The attribute identities is not a JSON array', remedy: LINK_AGAIN },
  accountKind: { reason: 'Gatehouse does not import this kind of account', remedy: LINK_AGAIN },
  noSaml: { reason: 'Gatehouse has no SAML providers', remedy: LINK_AGAIN },
  unknownProvider: {
    reason: 'No identity provider in the project matches this name',
    remedy:
      'Pass --provider <name>=<slug> if it is an OpenID Provider with the same ids, otherwise ask the customer to sign in by email once',
  },
  serviceAccount: {
    reason: 'The user is the service account of a client',
    remedy: 'Create an API key in Gatehouse instead',
  },
  lockout: {
    reason: 'A lock after failed sign-ins is not imported',
    remedy: 'Nothing: the customer can sign in again',
  },
  deleted: {
    reason: 'The user is deleted',
    remedy:
      'Delete or disable the customer if an earlier import has created them, otherwise there is nothing to do',
  },
  anonymous: {
    reason: 'The user is anonymous',
    remedy: 'Ask the user to register with an email address',
  },
  companyAddress: {
    reason: "A company's single sign-on has set the address",
    remedy: 'Ask the customer to verify the address, which is imported as not verified',
  },
  banWithoutEnd: {
    reason: 'The customer is disabled, but the end of the ban is not imported',
    remedy: 'Enable the customer when the ban ends',
  },
} satisfies Record<string, Reason>;
