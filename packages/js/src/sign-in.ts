import type { ClientCore } from './client-core.js';
import { loadPasskeys, loadRedirects } from './on-demand.js';
import type { RedirectTarget, SignInUrlOptions } from './redirects.js';
import type {
  EmailChange,
  EmailSignInOptions,
  SignInOptions,
  SignInResult,
  SignUpFields,
  RedirectResult,
  TotpSecret,
  VerifiedEmail,
} from './types.js';

/** Returns the `client.signIn` functions. All throw GatehouseError. */
export const createSignIn = (core: ClientCore) => ({
  /** Signs in with a password. */
  password: (credentials: { email: string; password: string }): Promise<SignInResult> =>
    core.signIn('/auth/login', credentials),

  /** Signs in with an emailed code and the token that `sendEmailCode()` returned. */
  emailCode: (proof: { token: string; code: string; locale?: string }): Promise<SignInResult> =>
    core.signIn('/auth/email-code/verify', proof),

  /** Signs in with a token that your server created with `customers.createSignInToken` from `@gatehouse/server`. */
  token: (token: string): Promise<SignInResult> => core.signIn('/auth/sign-in-token', { token }),

  /** Signs in with a passkey that the customer chooses. */
  passkey: async (): Promise<SignInResult> => (await loadPasskeys()).signIn(core),

  /** Signs in with the ID token from a native Google or Apple sign-in. */
  idToken: ({
    provider,
    ...proof
  }: {
    provider: string;
    idToken: string;
    nonce?: string;
    locale?: string;
  }): Promise<SignInResult> => core.signIn(`/auth/oauth/${encodeURIComponent(provider)}/token`, proof),

  /**
   * Opens an identity provider's page. Returns the result if `openUrl` returns the redirect URL. Otherwise returns
   * null, and `handleRedirect()` completes the sign-in.
   */
  social: async (target: RedirectTarget): Promise<RedirectResult | null> =>
    (await loadRedirects()).signIn(core, target),
});

/**
 * Returns the `client.challenge` functions, which complete sign-ins that require a second factor. All throw
 * GatehouseError.
 */
export const createChallenge = (core: ClientCore) => ({
  /** Completes a sign-in with a code from an authenticator app. */
  totp: ({ token, code }: { token: string; code: string }): Promise<SignInResult> =>
    core.signIn('/auth/challenge/totp', { challengeToken: token, code }),

  /** Completes a sign-in with a recovery code. */
  recoveryCode: ({ token, code }: { token: string; code: string }): Promise<SignInResult> =>
    core.signIn('/auth/challenge/recovery-code', { challengeToken: token, code }),

  /** Completes a sign-in with a passkey. */
  passkey: async ({ token }: { token: string }): Promise<SignInResult> =>
    (await loadPasskeys()).completeChallenge(core, token),

  /** Returns the secret for a new authenticator app. `totp()` completes the sign-in with its first code. */
  enrollTotp: ({ token }: { token: string }): Promise<TotpSecret> =>
    core.post('/auth/challenge/enroll-totp', { challengeToken: token }),

  /** Adds a passkey and completes the sign-in. */
  enrollPasskey: async ({ token, name }: { token: string; name?: string }): Promise<SignInResult> =>
    (await loadPasskeys()).enroll(core, token, name),
});

/** Returns the client functions that require no session. All throw GatehouseError. */
export const createPublicFunctions = (core: ClientCore) => ({
  /** Registers a customer. */
  signUp: (fields: SignUpFields): Promise<SignInResult> => core.signIn('/auth/register', fields),

  /**
   * Emails a code, plus a link to `redirectUrl` if it is set. Returns the token for `signIn.emailCode()`. The response
   * is the same whether or not a customer has the address.
   */
  sendEmailCode: async ({
    email,
    redirectUrl,
  }: {
    email: string;
    redirectUrl?: string;
  }): Promise<{ token: string; expiresAt: string }> => {
    const body = redirectUrl
      ? await (await loadRedirects()).emailLinkRequest(core, email, redirectUrl)
      : { email };
    const { challenge } = await core.post<{ challenge: { token: string; expiresAt: string } }>(
      '/auth/email-code',
      body,
    );
    return challenge;
  },

  /** Returns the hosted sign-in page's URL. `handleRedirect()` completes the sign-in at the redirect URL. */
  signInUrl: async (options: SignInUrlOptions): Promise<string> =>
    (await loadRedirects()).hostedPageUrl(core, options),

  /** Returns the methods that a sign-in page should offer, optionally for an email address. */
  options: ({ email }: { email?: string } = {}): Promise<SignInOptions | EmailSignInOptions> =>
    email
      ? core.post('/auth/options', { email })
      : core.transport.send<SignInOptions>('GET', '/auth/options'),

  /** Verifies an email address with the emailed token. */
  verifyEmail: (token: string): Promise<VerifiedEmail> => core.post('/auth/verify-email', { token }),

  /** Emails another verification link. */
  resendVerification: (email: string, more: { redirectUrl?: string } = {}): Promise<void> =>
    core.post('/auth/resend-verification', { email, ...more }).then(() => undefined),

  /** Emails a link to set a new password. */
  forgotPassword: (email: string, more: { redirectUrl?: string } = {}): Promise<void> =>
    core.post('/auth/forgot-password', { email, ...more }).then(() => undefined),

  /** Sets a new password with the emailed token and ends all of the customer's sessions. */
  resetPassword: (fields: { token: string; password: string }): Promise<void> =>
    core.post('/auth/reset-password', fields),

  /** Lets the owner of an email address take over an account that another person created with it. */
  disown: (token: string): Promise<VerifiedEmail> => core.post('/auth/disown', { token }),

  /** Confirms an email address change with the emailed token. The change requires both addresses. */
  confirmEmailChange: (token: string): Promise<EmailChange> =>
    core.post('/auth/confirm-email-change', { token }),
});
