'use client';
import { AuthFlowPanel } from './auth-flow-panel.js';
import type { AuthProps } from './use-auth-flow.js';

export interface SignInProps extends AuthProps {
  /** The page with `<SignUp>`. Default: this component switches to sign-up. */
  signUpUrl?: string;
}

/** Signs customers in with all methods that the project offers, and completes sign-ins that left the page. */
export const SignIn = (props: SignInProps) => <AuthFlowPanel start="sign_in" {...props} />;
