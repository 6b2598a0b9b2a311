'use client';
import { Panel, Skeleton } from '../components/panel.js';
import { useAuth } from '../use-auth.js';
import { EmailCodeStep, ForgotPasswordStep, ResetSentStep, VerifyEmailStep } from './email-steps.js';
import { EnrollStep, RecoveryCodesStep, SecondFactorStep } from './factor-steps.js';
import { FirstStep } from './first-steps.js';
import { AuthFlowContext, useAuthFlow, type AuthFlowProps } from './use-auth-flow.js';
import { Localized } from '../localization/localized.js';

/** All screens for sign-in and sign-up. */
export const AuthFlowPanel = (props: AuthFlowProps) => (
  <Localized>
    <Flow {...props} />
  </Localized>
);

const STEPS = {
  sign_in: FirstStep,
  sign_up: FirstStep,
  forgot_password: ForgotPasswordStep,
  reset_sent: ResetSentStep,
  verify_email: VerifyEmailStep,
  email_code: EmailCodeStep,
  second_factor: SecondFactorStep,
  enroll_factor: EnrollStep,
  recovery_codes: RecoveryCodesStep,
};

function Flow(props: AuthFlowProps) {
  const { status } = useAuth();
  const flow = useAuthFlow(props);
  if (status === 'signed_in') return null;
  const Step = STEPS[flow.screen.name];
  return (
    <Panel>
      <AuthFlowContext.Provider value={flow}>
        {status === 'loading' ? <Skeleton /> : <Step />}
      </AuthFlowContext.Provider>
    </Panel>
  );
}
