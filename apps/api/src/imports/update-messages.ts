import type { FieldError } from '@gatehouse/domain';

const PATCH = 'set it with PATCH /api/v1/customers/{id}';

/** The error for a line that was imported before, or that is older than the customer. */
export const notNewerError: FieldError = {
  field: 'updatedAt',
  code: 'not_newer',
  message:
    "The line is not newer than the customer. No action is necessary if the customer's data is correct.",
};

/** The error in a dry run for a line that belongs to the same customer as an earlier line in another batch. */
export const earlierLineError: FieldError = {
  field: '',
  code: 'earlier_line',
  message:
    'An earlier line belongs to the same customer. An import compares this line with the result of the earlier one; a dry run cannot. Keep only the newer of the two lines.',
};

/** The error for a line whose externalId or id belongs to another person. */
export const otherUserError = (field: 'externalId' | 'id'): FieldError => ({
  field,
  code: 'conflict',
  message: `The customer with this ${field} has a different email and a different createdAt, so the line may belong to another person. ${otherUserRemedies[field]} If it is the same person, change the email of the customer and import the line again with update.`,
});

const otherUserRemedies = {
  externalId:
    'Another system can use the same ids: import the users of each system into a separate project, or with a prefix (--external-id-prefix).',
  id: 'In this case, remove the id from the line.',
};

/** The error for a newer line whose values the customer already has. */
export const unchangedError: FieldError = {
  field: '',
  code: 'unchanged',
  message: 'The customer already has the values of the line. No action is necessary.',
};

/** The error for a line that was not applied, because the customer keeps all values that differ. */
export const nothingAppliedError: FieldError = {
  field: '',
  code: 'unchanged',
  message: 'The customer already has the other values of the line. The warnings name the values that differ.',
};

/**
 * The error for a differing value that is not applied, because a newer line was imported or the customer was changed in
 * Gatehouse.
 */
export const conflictError =
  (isChangedInGatehouse: boolean) =>
  (field: string): FieldError => ({
    field,
    code: 'conflict',
    message: `${field} differs, but ${isChangedInGatehouse ? 'the customer was changed in Gatehouse since the last import' : 'a newer line was imported'}, so the value in Gatehouse is kept. If the line is right, change the customer in Gatehouse.`,
  });

/**
 * The warning for a replaced value that was changed, or could have been changed, in Gatehouse before the line's
 * `updatedAt`.
 */
export const replacedWarning = (field: string): FieldError => ({
  field,
  code: 'replaced',
  message: `${field} was replaced, although the customer was also changed in Gatehouse, before the updatedAt of the line. Check it, and ${PATCH} if the previous value was right.`,
});

const claimed = (field: string): string =>
  `${field} stays as it is, because the owner of the address has set a password or claimed the account in Gatehouse. If the line is right, ${PATCH}.`;
const password =
  'The customer keeps their password, because it was set, used or removed in Gatehouse. If they know only the password in the line, ask them to reset the password.';

const keptMessages: Record<string, string> = {
  ...{ email: claimed('email'), emailVerified: claimed('emailVerified') },
  ...{ password, passwordHash: password },
  disabledAt:
    'The customer stays disabled, because the customer was changed in Gatehouse since the last import. If this is wrong, enable the customer with POST /api/v1/customers/{id}/enable.',
  externalId: `externalId differs, and the customer keeps theirs. If the line is right, ${PATCH}.`,
};

/** The warning for a field in a line that is not applied to the customer. */
export const keptWarning = (field: string): FieldError => ({
  field,
  code: 'conflict',
  message: keptMessages[field] ?? `${field} stays as it is. If the line is right, ${PATCH}.`,
});

/** The warning for a credential in a line that the customer lacks and that is not added. */
export const missingWarning = (field: string): FieldError => ({
  field,
  code: 'conflict',
  message: `${field} is not added, because the customer was changed in Gatehouse and may have removed it. If the line is right, ask the customer to add it again.`,
});

export const subjectWarning: FieldError = {
  field: 'externalId',
  code: 'conflict',
  message:
    'The customer keeps their externalId, because they have signed in and it is the sub of their tokens (setting tokenSubject). No action is necessary if the sub must stay.',
};

export const otherIdWarning: FieldError = {
  field: 'externalId',
  code: 'external_id_taken',
  message:
    'externalId is the id of another customer of this project, and can be the sub of their tokens, so the customer keeps theirs. Correct the id and import the line again with update.',
};

export const emailTakenWarning: FieldError = {
  field: 'email',
  code: 'email_already_registered',
  message:
    'email belongs to another customer of this project, so the customer keeps theirs. Change the email of the other customer and import the line again with update.',
};

export const otherFactorWarning: FieldError = {
  field: 'totpSecret',
  code: 'conflict',
  message:
    'The customer has a different authenticator app and keeps it. Remove it with DELETE /api/v1/customers/{id}/factors/{factorId} and import the line again with update.',
};
