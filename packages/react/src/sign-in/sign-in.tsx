'use client';
import { AuthFlowPanel } from './auth-flow-panel.js';
import type { AuthProps } from './use-auth-flow.js';

export interface SignInProps extends AuthProps {
  /** The page with `<SignUp>`. Default: the sign-up replaces the sign-in in place. */
  signUpUrl?: string;
}

/** Signs customers in with all methods that the project offers, and completes sign-ins that have left the page. */
export const SignIn = (props: SignInProps) => <AuthFlowPanel start="sign_in" {...props} />;
