import type { ReactNode } from 'react';
import { useIsSingleSignOnRequired } from '../session/session';
import { api, unwrap } from '../http/client';
import { AccountSetupForm } from './account-setup-form';

const SINGLE_SIGN_ON_TEXT =
  'Single sign-on is required. Only a link from the operator-link command signs you in without it, for one session. Choose a new password to continue.';

/**
 * The screen behind an invitation link, to choose a password. Used for the first and for later invitations.
 */
export function InvitationScreen(): ReactNode {
  const isSingleSignOnRequired = useIsSingleSignOnRequired();
  return (
    <AccountSetupForm
      title="Welcome to Gatehouse"
      description={
        isSingleSignOnRequired ? SINGLE_SIGN_ON_TEXT : 'Choose a password for the operator console.'
      }
      onSubmit={({ token, name, password }) =>
        unwrap(api.POST('/operator/v1/invitations/accept', { body: { token, name, password } }))
      }
    />
  );
}
