import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useIsSingleSignOnRequired, useSession } from '../session/session';
import { RecoveryCodes } from './recovery-codes';
import { CodeStep } from './code-step';
import { SignInLayout } from './sign-in-layout';
import { FactorEnrollment } from './factor-enrollment';
import { PasskeyStep } from './passkey-step';
import { PasswordStep } from './password-step';
import { SingleSignOn } from './single-sign-on';
import { SkipEnrollment } from './skip-enrollment';
import { StartOver } from './start-over';

const START_OVER_TEXT =
  'Sign-in took too long, or your browser did not store the session cookie. Sign in again.';

interface SignInStepsProps {
  /** The only operator who can sign in, if the page belongs to one. */
  email?: string;
  /** Shown above the password. */
  description?: string;
  /** The codes from an authenticator that has just been set up. */
  recoveryCodes: string[] | null;
  onRecoveryCodes: (codes: string[] | null) => void;
}

/**
 * Renders the current sign-in step: the password, then the second factor, or at the first sign-in the setup of a second
 * factor.
 */
export function SignInSteps({
  email,
  description,
  recoveryCodes,
  onRecoveryCodes,
}: SignInStepsProps): ReactNode {
  const { state, operator, setupRequired, maySkipEnrollment } = useSession();
  const isSingleSignOnRequired = useIsSingleSignOnRequired();
  const isInProgress = state === 'second_factor' || state === 'enrollment';
  const [wasInProgress, setWasInProgress] = useState(isInProgress);
  if (isInProgress && !wasInProgress) setWasInProgress(true);

  // The codes are shown only once, so nothing may navigate away from them.
  if (recoveryCodes) {
    return (
      <SignInLayout
        title="Save your recovery codes"
        description="If you lose your second factor, you can sign in with a recovery code. Each code works once."
      >
        <RecoveryCodes codes={recoveryCodes} onSaved={() => onRecoveryCodes(null)} />
      </SignInLayout>
    );
  }
  switch (state) {
    case 'signed_in':
      return null;
    case 'second_factor':
      return (
        <SignInLayout title="Two-factor authentication" description={operator?.email}>
          <PasskeyStep />
          <CodeStep />
        </SignInLayout>
      );
    case 'enrollment':
      return (
        <SignInLayout title="Set up two-factor authentication" description={operator?.email}>
          <FactorEnrollment
            onEnrolled={onRecoveryCodes}
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
        <SignInLayout title="Sign in" description={wasInProgress ? START_OVER_TEXT : description}>
          {!isSingleSignOnRequired &&
            (setupRequired ? <NoOperatorsYet /> : <PasswordStep fixedEmail={email} />)}
          <SingleSignOn inNewWindow={email !== undefined} />
          {isSingleSignOnRequired && email !== undefined && <StartOver />}
        </SignInLayout>
      );
  }
}

function NoOperatorsYet(): ReactNode {
  return (
    <Text>
      No operator exists yet. Run <code>npm run gatehouse -- operator-link</code> on the server, or{' '}
      <code>gatehouse-admin operator-link</code> in the container, and open the link that it prints.
      Alternatively, set OPERATOR_EMAIL and OPERATOR_PASSWORD, and restart the API.
    </Text>
  );
}
