import type { ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { AccountSetupForm } from './account-setup-form';

/**
 * The screen behind an invitation link, to choose a password. Used for the first and for later invitations.
 */
export function InvitationScreen(): ReactNode {
  return (
    <AccountSetupForm
      title="Welcome to Gatehouse"
      description="Choose a password for the operator console."
      onSubmit={({ token, name, password }) =>
        unwrap(api.POST('/operator/v1/invitations/accept', { body: { token, name, password } }))
      }
    />
  );
}
