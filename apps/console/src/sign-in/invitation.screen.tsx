import type { ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { AccountSetupForm } from './account-setup-form';

/** Where an invitation leads, the first and any later one: to a password of one's own. */
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
