import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useReturnPath } from '../app/gate';
import { useSession } from '../app/session';
import { RecoveryCodes } from '../parts/recovery-codes';
import { CodeStep } from './code-step';
import { Door } from './door';
import { EnrollmentStep } from '../app/enrollment-step';
import { PasswordStep } from './password-step';
import { SkipEnrollment } from './skip-enrollment';
import { StartOver } from './start-over';

const BEGIN_AGAIN = 'Sign-in took too long, or your browser did not store the session cookie. Sign in again.';

/** The way in: a password, then a code, or the first time an authenticator. Then on to where one was. */
export function SignInScreen(): ReactNode {
  const { state, operator, server, maySkipEnrollment } = useSession();
  const { ended } = (useLocation().state ?? {}) as { ended?: boolean };
  const to = useReturnPath();
  const isHalfWay = state === 'second_factor' || state === 'enrollment';
  const [wasHalfWay, setWasHalfWay] = useState(isHalfWay);
  if (isHalfWay && !wasHalfWay) setWasHalfWay(true);
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);

  // They are shown this once: nothing may lead away from them.
  if (recoveryCodes) {
    return (
      <Door
        title="Save your recovery codes"
        about="If you lose your authenticator, you can sign in with a recovery code. Each code works once."
      >
        <RecoveryCodes codes={recoveryCodes} onKept={() => setRecoveryCodes(null)} />
      </Door>
    );
  }
  switch (state) {
    case 'signed_in':
      return <Navigate replace to={to} />;
    case 'second_factor':
      return (
        <Door title="Two-factor authentication" about={operator?.email}>
          <CodeStep />
        </Door>
      );
    case 'enrollment':
      return (
        <Door title="Set up two-factor authentication" about={operator?.email}>
          <EnrollmentStep
            onEnrolled={setRecoveryCodes}
            exit={
              <>
                {maySkipEnrollment && <SkipEnrollment />}
                <StartOver />
              </>
            }
          />
        </Door>
      );
    case 'signed_out':
      return (
        <Door
          title="Sign in"
          about={wasHalfWay ? BEGIN_AGAIN : ended && 'Your session has ended. Sign in to continue.'}
        >
          {server.setupRequired ? <NobodyYet /> : <PasswordStep />}
        </Door>
      );
  }
}

function NobodyYet(): ReactNode {
  return (
    <Text>
      No operator exists yet. Each time the api starts, it logs a setup link. Open that link to create the
      first operator, or set OPERATOR_EMAIL and OPERATOR_PASSWORD and restart the api.
    </Text>
  );
}
