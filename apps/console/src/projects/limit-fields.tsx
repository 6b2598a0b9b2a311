import type { ReactNode } from 'react';
import ranges from './limit-ranges.json';
import { NumberFields, type NumberField } from './number-fields';
import type { ProjectForm } from './use-project-form';

const range = (name: keyof typeof ranges, unit = ''): string => {
  const { fallback, min, max } = ranges[name];
  const [from, to, usual] = [min, max, fallback].map((limit) => limit.toLocaleString('en-US'));
  return `${from} to ${to}${unit}. Default: ${usual}.`;
};

/** Returns the field for a limit on requests per minute from each client IP. */
const perMinute = (name: keyof typeof ranges): NumberField => ({
  name: `limits.${name}`,
  description: range(name, ' per minute for each client IP'),
});

/** Returns the field for a limit that is not per minute. @param note a sentence to show before the range */
const limitWithNote = (name: keyof typeof ranges, note: string): NumberField => ({
  name: `limits.${name}`,
  description: `${note} ${range(name)}`,
});

const limits: NumberField[] = [
  perMinute('login'),
  perMinute('register'),
  perMinute('verify'),
  perMinute('reset'),
  perMinute('forgot'),
  perMinute('resend'),
  perMinute('emailCode'),
  perMinute('emailCodeVerify'),
  perMinute('challenge'),
  perMinute('reauthenticate'),
  perMinute('passkey'),
  perMinute('passkeyOptions'),
  perMinute('oauth'),
  perMinute('exchange'),
  perMinute('options'),
  perMinute('signInPage'),
  perMinute('refresh'),
  limitWithNote('failedLogin', 'Counted for each email address within the window.'),
  limitWithNote('wrongEmailCode', 'Counted for each email address within the window.'),
  limitWithNote('failedSecondFactor', 'Counted for each customer within the window.'),
  limitWithNote('failureWindow', 'The window doubles with further failures, up to 24 hours.'),
];

export const LimitFields = ({ form }: { form: ProjectForm }): ReactNode => (
  <NumberFields form={form} fields={limits} />
);
