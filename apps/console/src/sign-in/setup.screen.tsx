import type { ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { AccountSetupForm } from './account-setup-form';

/** Where the link in the log of a new house leads: whoever has it becomes the first operator. */
export function SetupScreen(): ReactNode {
  return (
    <AccountSetupForm
      title="Set up Gatehouse"
      description="Create the first operator, who becomes an admin."
      requiresEmail
      onSubmit={(admission) => unwrap(api.POST('/operator/v1/setup', { body: admission }))}
    />
  );
}
