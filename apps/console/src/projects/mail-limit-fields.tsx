import type { ReactNode } from 'react';
import { NumberFields, type NumberField } from './number-fields';
import type { ProjectForm } from './use-project-form';

const perHour = '1 to 1,000,000 per hour. Default: 2,000.';

const limits: NumberField[] = [
  {
    name: 'mailLimits.signUp',
    description: `Verification emails, notices that an address is already registered, and codes for new customers. ${perHour}`,
  },
  { name: 'mailLimits.passwordReset', description: perHour },
  { name: 'mailLimits.emailChange', description: perHour },
  { name: 'mailLimits.invitation', description: perHour },
  {
    name: 'mailLimits.signIn',
    description: 'Codes that sign in existing customers. 1 to 1,000,000 per hour. Default: 10,000.',
  },
  {
    name: 'mailLimits.perRecipient',
    description:
      'Counted separately for each purpose above. Addresses that differ only by a +tag count as one recipient. 1 to 1,000 per hour. Default: 5.',
  },
];

export const MailLimitFields = ({ form }: { form: ProjectForm }): ReactNode => (
  <NumberFields form={form} fields={limits} />
);
