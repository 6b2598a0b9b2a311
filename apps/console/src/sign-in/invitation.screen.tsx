import type { ReactNode } from 'react';
import { useIsSingleSignOnRequired } from '../session/session';
import { api, unwrap } from '../http/client';
import { AccountSetupForm } from './account-setup-form';

const SINGLE_SIGN_ON_TEXT =
  'Single sign-on is required. Only a link from the operator-link command signs you in without it, for one session. Choose a new password to continue.';

/** The screen where an operator chooses a password. Invitations and repeated invitations link to it. */
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
