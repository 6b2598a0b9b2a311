import type { ErrorEntry } from './error-entry.js';

/** The error codes that only the operator API returns. */
export const operatorErrors = {
  operator_session_required: {
    status: 401,
    title: 'Sign-in required',
    cause: 'The operator session is missing or has ended, or its second factor is not verified.',
    remedy: 'Sign in to the console.',
  },
  insufficient_role: {
    status: 403,
    title: 'The role does not allow this',
    cause: 'The route requires the operator role in requiredRole, or a higher one.',
    remedy: 'Contact an admin, who can do this or change your role.',
  },
  installation_access_required: {
    status: 403,
    title: 'Access to the entire installation is required',
    cause: 'The operator is limited to organizations, and the route concerns the entire installation.',
    remedy: 'Contact an admin who is not limited to organizations.',
  },
  single_sign_on_required: {
    status: 403,
    title: 'Single sign-on is required',
    cause: 'Operators can sign in only with the OpenID Provider (OPERATOR_OIDC_ONLY).',
    remedy:
      'Sign in with single sign-on. If the provider is unavailable, open a link from npm run gatehouse -- operator-link.',
  },
  factor_required: {
    status: 403,
    title: 'A second factor is required',
    cause: 'The operator has signed in without a second factor, which is not sufficient for this action.',
    remedy: 'Set up an authenticator app under Account.',
  },
  operator_disabled: {
    status: 403,
    title: 'The operator is disabled',
    cause: 'The password is correct, but an admin has disabled this operator.',
    remedy: 'Contact an admin, who can enable the operator.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request was not sent by the console',
    cause:
      'A request that changes something was sent without the header X-Gatehouse-Console, or from a page on another origin.',
    remedy: 'Use the console at PUBLIC_URL. In programs, send X-Gatehouse-Console: 1.',
  },
  too_many_saved_views: {
    status: 409,
    title: 'Too many saved views',
    cause: 'An operator can save at most 50 views.',
    remedy: 'Delete a view first, or update an existing one.',
  },
  last_admin: {
    status: 409,
    title: 'This is the last active admin',
    cause:
      'At least one operator must be an active admin who has a password and is not limited to organizations. If single sign-on is required, an account with the OpenID Provider replaces the password.',
    remedy:
      'First give the admin role, without a limit to organizations, to another active operator who has a password.',
  },
} as const satisfies Record<string, ErrorEntry>;
