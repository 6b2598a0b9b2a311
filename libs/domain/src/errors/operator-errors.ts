import type { ErrorEntry } from './error-entry.js';

/** The part of the catalogue that only the console is answered with. */
export const operatorErrors = {
  operator_session_required: {
    status: 401,
    title: 'Nobody is signed in to the console',
    cause: 'The session of the operator is missing, has ended, or has not passed its second factor.',
    cure: 'Sign in to the console.',
  },
  invalid_code: {
    status: 401,
    title: 'The code is not valid',
    cause: 'The code of the authenticator or of recovery is wrong, too old or already used.',
    cure: 'Wait for the next code of the authenticator, or use another recovery code.',
  },
  insufficient_role: {
    status: 403,
    title: 'The role of this operator does not allow it',
    cause: 'The route needs an operator of the role named in requiredRole, or of a higher one.',
    cure: 'Ask an admin to do it, or to change the role.',
  },
  operator_disabled: {
    status: 403,
    title: 'The operator is disabled',
    cause: 'The password is right, but an admin has disabled this operator.',
    cure: 'Ask an admin to enable the operator.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request does not come from the console',
    cause:
      'A change for operators came without the header X-Gatehouse-Console, or from a page of another origin.',
    cure: 'Use the console at the address in PUBLIC_URL; a program sends X-Gatehouse-Console: 1.',
  },
  last_admin: {
    status: 409,
    title: 'This is the last active admin',
    cause: 'Without this operator nobody could look after the house.',
    cure: 'Make another active operator an admin first.',
  },
} as const satisfies Record<string, ErrorEntry>;
