import type { ReactNode } from 'react';
import { api, data } from '../http/client';
import { AdmissionForm } from './admission-form';

/** Where the link in the log of a new house leads: whoever has it becomes the first operator. */
export function SetupScreen(): ReactNode {
  return (
    <AdmissionForm
      title="Set up Gatehouse"
      about="Create the first operator, who becomes an admin."
      asksEmail
      send={(admission) => data(api.POST('/operator/v1/setup', { body: admission }))}
    />
  );
}
