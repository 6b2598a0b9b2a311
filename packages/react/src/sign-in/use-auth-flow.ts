'use client';
import type {
  Challenge,
  Client,
  CustomerSummary,
  GatehouseError,
  RedirectResult,
  SignInOptions,
} from '@gatehouse/js';
import { createContext, useContext, useEffect, useState } from 'react';
import { errorText } from '../components/error-text.js';
import { useLoaded, type Loaded } from '../components/use-loaded.js';
import { useGatehouse } from '../gatehouse-context.js';
import { useTexts } from '../use-texts.js';

export interface AuthProps {
  /**
   * The URL to return to after an identity provider sign-in. Must be listed in the project setting `redirectUrls`. If
   * set, links in emails also lead there. Default, for identity providers only: the page's URL without its query.
   */
  redirectUrl?: string;
  /** Called when the customer is signed in. */
  onComplete?: (customer: CustomerSummary) => void;
}

export interface AuthFlowProps extends AuthProps {
  /** The first screen. */
  start: 'sign_in' | 'sign_up';
  signInUrl?: string | undefined;
  signUpUrl?: string | undefined;
}

/** The kinds of challenges that a sign-in can require. */
export type ChallengeKind = 'second_factor' | 'enroll_factor';

/** A flow's screens. */
export type Screen =
  | { name: 'sign_in' | 'sign_up' | 'forgot_password' | 'reset_sent' | 'verify_email' }
  | { name: 'email_code'; token: string }
  | { name: ChallengeKind; challenge: Challenge }
  | { name: 'recovery_codes'; codes: string[]; customer: CustomerSummary };

/** The state and actions of a sign-in or sign-up. */
export interface AuthFlow {
  client: Client;
  options: Loaded<SignInOptions>;
  /** The URL of a separate sign-up page in a sign-in, or of a separate sign-in page in a sign-up. */
  otherUrl: string | undefined;
  screen: Screen;
  /** True if the screen replaced another one. */
  hasMoved: boolean;
  /** The message for the error that returned the flow to the first screen. */
  notice: string | null;
  /** The identity provider that the email address requires. */
  requiredProvider: string | null;
  email: string;
  setEmail: (email: string) => void;
  /** Returns the URL to which identity providers redirect. */
  pageUrl: () => string;
  /** Additional fields for requests that send an email with a link. */
  linkFields: { redirectUrl?: string };
  go: (screen: Screen) => void;
  /** Runs a request that can sign the customer in, and shows the next screen. */
  signIn: (work: () => Promise<RedirectResult | null>) => Promise<void>;
  /** Ends the flow after the customer has signed in. */
  complete: (customer: CustomerSummary) => void;
}

type Current = Pick<AuthFlow, 'screen' | 'notice' | 'hasMoved'>;

export const AuthFlowContext = createContext<AuthFlow | null>(null);

/** Returns the flow for a step component, typed with the screen that the step renders. */
export const useFlow = <Name extends Screen['name']>() =>
  useContext(AuthFlowContext) as AuthFlow & { screen: Extract<Screen, { name: Name }> };

/** Returns the flow for `<SignIn>` and `<SignUp>`. */
export function useAuthFlow({
  start,
  signInUrl,
  signUpUrl,
  redirectUrl,
  onComplete,
}: AuthFlowProps): AuthFlow {
  const { client, holdSignIn } = useGatehouse();
  const texts = useTexts();
  const options = useLoaded(() => client.options() as Promise<SignInOptions>);
  const [email, setEmail] = useState('');
  const [requiredProvider, setRequiredProvider] = useState<string | null>(null);
  const [current, setCurrent] = useState<Current>({
    screen: { name: start },
    notice: null,
    hasMoved: false,
  });
  const go = (next: Screen, nextNotice: string | null = null): void =>
    setCurrent({ screen: next, notice: nextNotice, hasMoved: true });

  const complete = (customer: CustomerSummary): void => {
    holdSignIn(false);
    onComplete?.(customer);
  };
  const show = (result: RedirectResult | null): void => {
    if (result?.status === 'complete' && result.recoveryCodes)
      return go({ name: 'recovery_codes', codes: result.recoveryCodes, customer: result.customer });
    if (result?.status === 'complete') return complete(result.customer);
    holdSignIn(false);
    if (result?.status === 'verify_email') {
      if (result.customer) setEmail(result.customer.email);
      go({ name: 'verify_email' });
    } else if (result && 'challenge' in result) {
      go({ name: result.status, challenge: result.challenge });
    }
  };
  const showError = (error: GatehouseError): void => {
    holdSignIn(false);
    setRequiredProvider(error.code === 'sso_required' ? (error.provider ?? null) : null);
    if (error.code === 'email_not_verified') return go({ name: 'verify_email' });
    if (error.code === 'challenge_expired') return go({ name: start }, errorText(texts, error));
    throw error;
  };
  const signIn = async (work: () => Promise<RedirectResult | null>): Promise<void> => {
    // The page must not replace this component until the customer has confirmed the recovery codes, if any.
    holdSignIn(true);
    await work().then(show, showError);
  };
  useEffect(() => () => holdSignIn(false), []);
  useRedirectResult(show, (error) => {
    setCurrent({ ...current, notice: errorText(texts, error) });
    setRequiredProvider(error.provider ?? null);
  });

  const otherUrl = current.screen.name === 'sign_up' ? signInUrl : signUpUrl;
  const pageUrl = (): string => redirectUrl ?? location.href.replace(/[?#].*$/s, '');
  const linkFields = redirectUrl ? { redirectUrl } : {};
  const actions = { setEmail, pageUrl, linkFields, go, signIn, complete };
  return { client, options, otherUrl, ...current, requiredProvider, email, ...actions };
}

/**
 * Handles the result of a sign-in that redirected to this page, once. `<AccountSettings>` handles all other results.
 */
function useRedirectResult(
  onResult: (result: RedirectResult) => void,
  onError: (error: GatehouseError) => void,
): void {
  const {
    state: { status },
    redirect: { result, error, clear },
  } = useGatehouse();
  useEffect(() => {
    if (result && !['linked', 'reauthenticated'].includes(result.status)) {
      clear();
      onResult(result);
    } else if (error && status === 'signed_out') {
      clear();
      onError(error);
    }
  }, [result, error, status]);
}
