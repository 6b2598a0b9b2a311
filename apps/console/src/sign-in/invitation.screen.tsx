import type { ReactNode } from 'react';
import { api, data } from '../http/client';
import { AdmissionForm } from './admission-form';

/** Where an invitation leads, the first and any later one: to a password of one's own. */
export function InvitationScreen(): ReactNode {
  return (
    <AdmissionForm
      title="Welcome to Gatehouse"
      about="Choose a password for the operator console."
      send={({ token, name, password }) =>
        data(api.POST('/operator/v1/invitations/accept', { body: { token, name, password } }))
      }
    />
  );
}
