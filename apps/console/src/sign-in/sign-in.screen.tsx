import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useReturnPath } from '../app/session-gate';
import { useSession } from '../app/session';
import { RecoveryCodes } from '../components/recovery-codes';
import { CodeStep } from './code-step';
import { SignInLayout } from './sign-in-layout';
import { EnrollmentStep } from '../app/enrollment-step';
import { PasswordStep } from './password-step';
import { SkipEnrollment } from './skip-enrollment';
import { StartOver } from './start-over';

const START_OVER_TEXT =
  'Sign-in took too long, or your browser did not store the session cookie. Sign in again.';

/**
 * The sign-in screen: the password, then an authenticator code, or at the first sign-in the setup of an
 * authenticator. After the sign-in, it redirects to the requested page.
 */
export function SignInScreen(): ReactNode {
  const { state, operator, setupRequired, maySkipEnrollment } = useSession();
  const { ended } = (useLocation().state ?? {}) as { ended?: boolean };
  const to = useReturnPath();
  const isInProgress = state === 'second_factor' || state === 'enrollment';
  const [wasInProgress, setWasInProgress] = useState(isInProgress);
  if (isInProgress && !wasInProgress) setWasInProgress(true);
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);

  // The codes are shown only once, so nothing may navigate away from them.
  if (recoveryCodes) {
    return (
      <SignInLayout
        title="Save your recovery codes"
        description="If you lose your authenticator, you can sign in with a recovery code. Each code works once."
      >
        <RecoveryCodes codes={recoveryCodes} onSaved={() => setRecoveryCodes(null)} />
      </SignInLayout>
    );
  }
  switch (state) {
    case 'signed_in':
      return <Navigate replace to={to} />;
    case 'second_factor':
      return (
        <SignInLayout title="Two-factor authentication" description={operator?.email}>
          <CodeStep />
        </SignInLayout>
      );
    case 'enrollment':
      return (
        <SignInLayout title="Set up two-factor authentication" description={operator?.email}>
          <EnrollmentStep
            onEnrolled={setRecoveryCodes}
            footer={
              <>
                {maySkipEnrollment && <SkipEnrollment />}
                <StartOver />
              </>
            }
          />
        </SignInLayout>
      );
    case 'signed_out':
      return (
        <SignInLayout
          title="Sign in"
          description={
            wasInProgress ? START_OVER_TEXT : ended && 'Your session has ended. Sign in to continue.'
          }
        >
          {setupRequired ? <NoOperatorsYet /> : <PasswordStep />}
        </SignInLayout>
      );
  }
}

function NoOperatorsYet(): ReactNode {
  return (
    <Text>
      No operator exists yet. Run <code>npm run gatehouse -- operator-link</code> on the server and open the
      link that it prints, or set OPERATOR_EMAIL and OPERATOR_PASSWORD and restart the api.
    </Text>
  );
}
