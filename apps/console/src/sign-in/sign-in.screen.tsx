import { useState, type ReactNode } from 'react';
import { Navigate } from 'react-router';
import { useReturnPath } from '../session/session-gate';
import { useSession } from '../session/session';
import { SignInSteps } from './sign-in-steps';

/** The sign-in screen. After the sign-in, it redirects to the requested page. */
export function SignInScreen(): ReactNode {
  const { state } = useSession();
  const to = useReturnPath();
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);
  // The codes are shown only once, so nothing may navigate away from them.
  if (state === 'signed_in' && !recoveryCodes) return <Navigate replace to={to} />;
  return <SignInSteps recoveryCodes={recoveryCodes} onRecoveryCodes={setRecoveryCodes} />;
}
