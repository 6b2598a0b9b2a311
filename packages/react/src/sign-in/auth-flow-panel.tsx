'use client';
import { Panel, Skeleton, Step } from '../components/panel.js';
import { RecoveryCodes } from '../components/recovery-codes.js';
import { useTexts } from '../use-texts.js';
import { useAuth } from '../use-auth.js';
import { EmailCodeStep, ForgotPasswordStep, ResetSentStep, VerifyEmailStep } from './email-steps.js';
import { EnrollStep, SecondFactorStep } from './factor-steps.js';
import { FirstStep } from './first-steps.js';
import { useAuthFlow, type AuthFlow, type AuthProps } from './use-auth-flow.js';

export interface AuthFlowPanelProps extends AuthProps {
  start: 'sign_in' | 'sign_up';
  signInUrl?: string | undefined;
  signUpUrl?: string | undefined;
}

/** All screens of a sign-in and sign-up. */
export function AuthFlowPanel({ start, signInUrl, signUpUrl, ...props }: AuthFlowPanelProps) {
  const { status } = useAuth();
  const flow = useAuthFlow(start, props);
  if (status === 'signed_in') return null;
  const otherUrl = flow.screen.name === 'sign_up' ? signInUrl : signUpUrl;
  return (
    <Panel>{status === 'loading' ? <Skeleton /> : <CurrentStep flow={flow} otherUrl={otherUrl} />}</Panel>
  );
}

function CurrentStep({ flow, otherUrl }: { flow: AuthFlow; otherUrl: string | undefined }) {
  const { screen } = flow;
  switch (screen.name) {
    case 'sign_in':
    case 'sign_up':
      return <FirstStep flow={flow} otherUrl={otherUrl} />;
    case 'forgot_password':
      return <ForgotPasswordStep flow={flow} />;
    case 'reset_sent':
      return <ResetSentStep flow={flow} />;
    case 'verify_email':
      return <VerifyEmailStep flow={flow} />;
    case 'email_code':
      return <EmailCodeStep flow={flow} token={screen.token} />;
    case 'challenge':
      return screen.challenge.kind === 'enroll_factor' ? (
        <EnrollStep flow={flow} challenge={screen.challenge} />
      ) : (
        <SecondFactorStep flow={flow} challenge={screen.challenge} />
      );
    case 'recovery_codes':
      return <RecoveryCodesStep flow={flow} {...screen} />;
  }
}

function RecoveryCodesStep({
  flow,
  codes,
  customer,
}: {
  flow: AuthFlow;
  codes: string[];
  customer: Parameters<AuthFlow['complete']>[0];
}) {
  const texts = useTexts();
  return (
    <Step title={texts.codesTitle} text={texts.codesText} hasFocus>
      <RecoveryCodes codes={codes} onConfirm={() => flow.complete(customer)} />
    </Step>
  );
}
