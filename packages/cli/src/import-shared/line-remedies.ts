const CORRECT_LINE = 'Correct the value in the file, and import the file again';

const remedies: ReadonlyMap<string, string> = new Map([
  [
    'email_already_registered',
    'Nothing if it is the same person. Otherwise, correct one of the addresses, and import the file again',
  ],
  ['external_id_taken', 'Correct the id in the file or of the other customer, and import the file again'],
  ['passkey_taken', 'Remove the passkey from one of the two users, and import the file again'],
  ['identity_already_linked', 'Remove the identity from one of the two users, and import the file again'],
  ['provider_not_found', 'Create the identity provider, and import the file again'],
]);

/** Returns what to do about an error of a line of an import, as a sentence without a period. @param code of the API */
export const remedyOf = (code: string): string => remedies.get(code) ?? CORRECT_LINE;
