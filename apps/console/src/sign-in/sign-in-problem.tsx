import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../http/problem';
import { Icon } from '../components/icon';
import { ProblemAlert } from '../components/problem-alert';
import { formatWait } from '../components/time';
import { useTimeZone } from '../components/use-time-zone';

/** Messages for operators, by error code. Other errors are shown with their title and detail. */
const errorTexts: Record<string, string> = {
  invalid_credentials: 'Email or password is incorrect.',
  operator_disabled: 'Your account is disabled. Contact an admin to enable it.',
  invalid_code: 'This code is incorrect, expired or already used. Wait for the next one.',
  passkey_not_accepted: 'This passkey was not accepted. Try again or use a code.',
  passkey_canceled: 'No passkey was used. Try again or use another method.',
  invalid_token: 'This link is invalid, has expired or was already used. Request a new one.',
  weak_password: 'This password is not strong enough. Choose another one.',
  too_many_attempts: 'Too many failed attempts.',
  rate_limited: 'Too many attempts from your IP address.',
  overloaded: 'Too many sign-ins at the moment.',
};

export function SignInProblem({ problem }: { problem: Problem | null }): ReactNode {
  const zone = useTimeZone();
  if (!problem) return null;
  const text = errorTexts[problem.code];
  if (!text) return <ProblemAlert error={problem} />;
  return (
    <Alert role="alert" color="red" icon={<Icon name="alert" size={20} />}>
      {text} {problem.retryAfter && `Try again ${formatWait(problem.retryAfter, Date.now(), zone)}.`}
    </Alert>
  );
}
