import type { ReactNode } from 'react';
import { NumberFields, type NumberField } from './number-fields';
import type { ProjectForm } from './use-project-form';

/** Returns the description of a limit per client address. */
const perMinute = (fallback: number, max = '1,000'): string =>
  `1 to ${max} per minute and client address. Default: ${fallback}.`;

const limits: NumberField[] = [
  { name: 'limits.login', label: 'Password sign-ins', description: perMinute(30) },
  { name: 'limits.register', label: 'Registrations', description: perMinute(30) },
  { name: 'limits.verify', label: 'Email verifications', description: perMinute(30) },
  { name: 'limits.reset', label: 'Password resets', description: perMinute(30) },
  { name: 'limits.forgot', label: 'Password reset requests', description: perMinute(10) },
  { name: 'limits.resend', label: 'Verification email requests', description: perMinute(10) },
  { name: 'limits.emailCode', label: 'Sign-in code requests', description: perMinute(10) },
  { name: 'limits.emailCodeVerify', label: 'Sign-in codes', description: perMinute(30) },
  { name: 'limits.challenge', label: 'Second factors', description: perMinute(30) },
  { name: 'limits.reauthenticate', label: 'Proofs of identity', description: perMinute(30) },
  { name: 'limits.passkey', label: 'Passkey sign-ins', description: perMinute(30) },
  { name: 'limits.passkeyOptions', label: 'Passkey requests', description: perMinute(60, '10,000') },
  { name: 'limits.oauth', label: 'Identity provider sign-ins', description: perMinute(60, '10,000') },
  { name: 'limits.exchange', label: 'Code exchanges', description: perMinute(60, '10,000') },
  { name: 'limits.options', label: 'Sign-in options requests', description: perMinute(120, '10,000') },
  { name: 'limits.signInPage', label: 'Hosted sign-in page views', description: perMinute(60, '10,000') },
  { name: 'limits.refresh', label: 'Token refreshes', description: perMinute(120, '10,000') },
  {
    name: 'limits.failedLogin',
    label: 'Failed password sign-ins',
    description: 'Per email address and window. 3 to 100. Default: 10.',
  },
  {
    name: 'limits.wrongEmailCode',
    label: 'Wrong sign-in codes',
    description: 'Per email address and window. 3 to 20. Default: 10.',
  },
  {
    name: 'limits.failedSecondFactor',
    label: 'Failed second factors',
    description: 'Per customer and window. 3 to 20. Default: 10.',
  },
  {
    name: 'limits.failureWindow',
    label: 'Window of failed attempts (seconds)',
    description: 'The window doubles with further failures, up to 24 hours. 300 to 86,400. Default: 900.',
  },
];

export const LimitFields = ({ form }: { form: ProjectForm }): ReactNode => (
  <NumberFields form={form} fields={limits} />
);
