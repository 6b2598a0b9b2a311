import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ProjectFields, ProjectForm } from './use-project-form';

type LimitKey = Extract<keyof ProjectFields, `mailLimits.${string}`>;

const perHour = '1 to 1,000,000 per hour. Default: 2,000.';

const limits: { name: LimitKey; label: string; description: string }[] = [
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

export function MailLimitFields({ form }: { form: ProjectForm }): ReactNode {
  return limits.map(({ name, label, description }) => (
    <NumberInput
      key={name}
      label={label}
      description={description}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      thousandSeparator=","
      maw={320}
      readOnly={form.isReadOnly}
      value={form.values[name] || ''}
      error={form.fieldError(name)}
      onChange={(limit) => form.setValue(name, Number(limit))}
    />
  ));
}
