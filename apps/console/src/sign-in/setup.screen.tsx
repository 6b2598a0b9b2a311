import type { ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { AccountSetupForm } from './account-setup-form';

/**
 * The screen behind the link that `npm run gatehouse -- operator-link` prints for a new installation. Anyone with
 * the link can become the first operator.
 */
export function SetupScreen(): ReactNode {
  return (
    <AccountSetupForm
      title="Set up Gatehouse"
      description="Create the first operator, who becomes an admin."
      requiresEmail
      onSubmit={(setup) => unwrap(api.POST('/operator/v1/setup', { body: setup }))}
    />
  );
}
