const CORRECT_LINE = 'Correct the value in the file, and import the file again';

const remedies: ReadonlyMap<string, string> = new Map([
  [
    'email_already_registered',
    'Nothing if it is the same person. Otherwise, correct one of the addresses, and import the file again',
  ],
  [
    'external_id_taken',
    'Correct the id in the file, or the id of the other customer, and import the file again',
  ],
  ['passkey_taken', 'Remove the passkey from one of the two users, and import the file again'],
  ['identity_already_linked', 'Remove the identity from one of the two users, and import the file again'],
  ['provider_not_found', 'Create the identity provider, and import the file again'],
]);

/** Returns true if an error only states that the customer already has the values in the line. */
export const isUnchanged = ({ code }: { code: string }): boolean =>
  code === 'not_newer' || code === 'unchanged';

const withoutPeriod = (text: string): string => text.replace(/\.$/, '');

/**
 * Returns the reason and the remedy for a line's error or warning, as sentences without a period. The API message is
 * the reason; its second sentence, if any, is the remedy.
 */
export function explainLineError({
  field,
  code,
  message,
}: {
  field: string;
  code: string;
  message: string;
}): { reason: string; remedy: string } {
  // The message can begin with the field name, which can contain any characters.
  const end = message.indexOf('. ', message.startsWith(field) ? field.length : 0);
  if (end < 0) return { reason: withoutPeriod(message), remedy: remedies.get(code) ?? CORRECT_LINE };
  return { reason: message.slice(0, end), remedy: withoutPeriod(message.slice(end + 2)) };
}
