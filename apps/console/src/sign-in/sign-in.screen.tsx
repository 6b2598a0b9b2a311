import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useReturnPath } from '../app/gate';
import { useSession } from '../app/session';
import { RecoveryCodes } from '../parts/recovery-codes';
import { CodeStep } from './code-step';
import { Door } from './door';
import { EnrollmentStep } from './enrollment-step';
import { PasswordStep } from './password-step';

const BEGIN_AGAIN =
  'Signing in took too long, or your browser does not keep the cookie of the session. Begin again.';

/** The way in: a password, then a code, or the first time an authenticator. Then on to where one was. */
export function SignInScreen(): ReactNode {
  const { state, operator, house } = useSession();
  const { ended } = (useLocation().state ?? {}) as { ended?: boolean };
  const to = useReturnPath();
  const isHalfWay = state === 'second_factor' || state === 'enrollment';
  const [wasHalfWay, setWasHalfWay] = useState(isHalfWay);
  if (isHalfWay && !wasHalfWay) setWasHalfWay(true);
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);

  // They are shown this once: nothing may lead away from them.
  if (recoveryCodes) {
    return (
      <Door title="Keep your recovery codes" about="Each lets you in once when the authenticator is lost.">
        <RecoveryCodes codes={recoveryCodes} onKept={() => setRecoveryCodes(null)} />
      </Door>
    );
  }
  switch (state) {
    case 'signed_in':
      return <Navigate replace to={to} />;
    case 'second_factor':
      return (
        <Door title="Second factor" about={operator?.email}>
          <CodeStep />
        </Door>
      );
    case 'enrollment':
      return (
        <Door title="Set up your authenticator" about={operator?.email}>
          <EnrollmentStep onEnrolled={setRecoveryCodes} />
        </Door>
      );
    case 'signed_out':
      return (
        <Door
          title="Sign in"
          about={wasHalfWay ? BEGIN_AGAIN : ended && 'Your session has ended. Sign in to go on.'}
        >
          {house.setupRequired ? <NobodyYet /> : <PasswordStep />}
        </Door>
      );
  }
}

function NobodyYet(): ReactNode {
  return (
    <Text>
      Nobody can sign in to this house yet. Its log shows a link, once at each start of the api, by which you
      become the first operator. OPERATOR_EMAIL and OPERATOR_PASSWORD make one as well.
    </Text>
  );
}
