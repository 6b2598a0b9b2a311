'use client';
import { AuthFlowPanel } from './auth-flow-panel.js';
import type { AuthProps } from './use-auth-flow.js';

export interface SignUpProps extends AuthProps {
  /** The page with `<SignIn>`. Default: this component switches to sign-in. */
  signInUrl?: string;
}

/** Creates accounts with all methods that the project offers. */
export const SignUp = (props: SignUpProps) => <AuthFlowPanel start="sign_up" {...props} />;
