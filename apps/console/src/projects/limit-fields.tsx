import type { ReactNode } from 'react';
import ranges from './limit-ranges.json';
import { NumberFields, type NumberField } from './number-fields';
import type { ProjectForm } from './use-project-form';

const range = (name: keyof typeof ranges, unit = ''): string => {
  const { fallback, min, max } = ranges[name];
  const [from, to, usual] = [min, max, fallback].map((limit) => limit.toLocaleString('en-US'));
  return `${from} to ${to}${unit}. Default: ${usual}.`;
};

/** Returns the field of a limit per client address. */
const perMinute = (name: keyof typeof ranges, label: string): NumberField => ({
  name: `limits.${name}`,
  label,
  description: range(name, ' per minute and client address'),
});

/** Returns the field of another limit. @param counts a sentence */
const other = (name: keyof typeof ranges, label: string, counts: string): NumberField => ({
  name: `limits.${name}`,
  label,
  description: `${counts} ${range(name)}`,
});

const limits: NumberField[] = [
  perMinute('login', 'Password sign-ins'),
  perMinute('register', 'Registrations'),
  perMinute('verify', 'Email verifications'),
  perMinute('reset', 'Password resets'),
  perMinute('forgot', 'Password reset requests'),
  perMinute('resend', 'Verification email requests'),
  perMinute('emailCode', 'Sign-in code requests'),
  perMinute('emailCodeVerify', 'Sign-in codes'),
  perMinute('challenge', 'Second factors'),
  perMinute('reauthenticate', 'Proofs of identity'),
  perMinute('passkey', 'Passkey sign-ins'),
  perMinute('passkeyOptions', 'Passkey requests'),
  perMinute('oauth', 'Identity provider sign-ins'),
  perMinute('exchange', 'Code exchanges'),
  perMinute('options', 'Sign-in options requests'),
  perMinute('signInPage', 'Hosted sign-in page views'),
  perMinute('refresh', 'Token refreshes'),
  other('failedLogin', 'Failed password sign-ins', 'Per email address and window.'),
  other('wrongEmailCode', 'Wrong sign-in codes', 'Per email address and window.'),
  other('failedSecondFactor', 'Failed second factors', 'Per customer and window.'),
  other(
    'failureWindow',
    'Window of failed attempts (seconds)',
    'The window doubles with further failures, up to 24 hours.',
  ),
];

export const LimitFields = ({ form }: { form: ProjectForm }): ReactNode => (
  <NumberFields form={form} fields={limits} />
);
