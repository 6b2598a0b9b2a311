import type { ReactNode } from 'react';
import { NumberFields, type NumberField } from './number-fields';
import type { ProjectForm } from './use-project-form';

const perHour = '1 to 1,000,000 per hour. Default: 2,000.';

const limits: NumberField[] = [
  {
    name: 'mailLimits.signUp',
    label: 'Sign-up emails',
    description: `Verification emails, notices that an address is already registered, and codes for new customers. ${perHour}`,
  },
  { name: 'mailLimits.passwordReset', label: 'Password reset emails', description: perHour },
  { name: 'mailLimits.emailChange', label: 'Email change confirmations', description: perHour },
  { name: 'mailLimits.invitation', label: 'Invitations', description: perHour },
  {
    name: 'mailLimits.signIn',
    label: 'Sign-in codes',
    description: 'Codes that sign in existing customers. 1 to 1,000,000 per hour. Default: 10,000.',
  },
  {
    name: 'mailLimits.perRecipient',
    label: 'Emails per recipient',
    description:
      'For each of these purposes. Addresses that differ only by a +tag are one recipient. 1 to 1,000 per hour. Default: 5.',
  },
];

export const MailLimitFields = ({ form }: { form: ProjectForm }): ReactNode => (
  <NumberFields form={form} fields={limits} />
);
