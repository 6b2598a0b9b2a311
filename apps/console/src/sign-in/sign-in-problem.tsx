import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../http/problem';
import { Icon } from '../parts/icon';
import { ProblemAlert } from '../parts/problem-alert';
import { waitInWords } from '../parts/time';

/** What there is to say better than for programs. */
const sentences: Record<string, string> = {
  invalid_credentials: 'E-mail or password is wrong.',
  operator_disabled: 'The password is right, but an admin has disabled this operator. Ask an admin.',
  invalid_code: 'This code is wrong, too old or already used. Wait for the next one.',
  invalid_token: 'This link is used, too old, or replaced by a newer one. Ask for a new one.',
  weak_password: 'Choose another password.',
  too_many_attempts: 'Too many tries have failed.',
  rate_limited: 'Too many tries came from your address.',
  overloaded: 'Too many people sign in at this moment.',
};

/** Why somebody was not let in. */
export function SignInProblem({ problem }: { problem: Problem | null }): ReactNode {
  if (!problem) return null;
  const text = sentences[problem.code];
  if (!text) return <ProblemAlert error={problem} />;
  return (
    <Alert role="alert" color="red" icon={<Icon name="alert" size={20} />}>
      {text} {problem.retryAfter && `Try again ${waitInWords(problem.retryAfter, Date.now())}.`}
    </Alert>
  );
}
