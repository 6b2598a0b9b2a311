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

/** Returns the functions of `client.signIn`. All throw GatehouseError. */
export const createSignIn = (core: ClientCore) => ({
  /** Signs in with a password. */
  password: (credentials: { email: string; password: string }): Promise<SignInResult> =>
    core.signIn('/auth/login', credentials),

  /** Signs in with the code of an email and the token that `sendEmailCode()` returned. */
  emailCode: (proof: { token: string; code: string; locale?: string }): Promise<SignInResult> =>
    core.signIn('/auth/email-code/verify', proof),

  /** Signs in with a token that your server has created (`customers.createSignInToken` of `@gatehouse/server`). */
  token: (token: string): Promise<SignInResult> => core.signIn('/auth/sign-in-token', { token }),

  /** Signs in with a passkey that the customer chooses. */
  passkey: async (): Promise<SignInResult> => (await loadPasskeys()).signIn(core),

  /** Signs in with the ID token of a native sign-in at Google or Apple. */
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
   * Opens the page of an identity provider. Returns the result if `openUrl` returns the URL of the redirect. Otherwise
   * returns null, and `handleRedirect()` completes the sign-in.
   */
  social: async (target: RedirectTarget): Promise<RedirectResult | null> =>
    (await loadRedirects()).signIn(core, target),
});

/** Returns the functions of `client.challenge`, for the second step of a sign-in. All throw GatehouseError. */
export const createChallenge = (core: ClientCore) => ({
  /** Completes a sign-in with a code of the authenticator app. */
  totp: ({ token, code }: { token: string; code: string }): Promise<SignInResult> =>
    core.signIn('/auth/challenge/totp', { challengeToken: token, code }),

  /** Completes a sign-in with a recovery code. */
  recoveryCode: ({ token, code }: { token: string; code: string }): Promise<SignInResult> =>
    core.signIn('/auth/challenge/recovery-code', { challengeToken: token, code }),

  /** Completes a sign-in with a passkey. */
  passkey: async ({ token }: { token: string }): Promise<SignInResult> =>
    (await loadPasskeys()).completeChallenge(core, token),

  /** Returns the secret of a new authenticator app. Its first code for `totp()` completes the sign-in. */
  enrollTotp: ({ token }: { token: string }): Promise<TotpSecret> =>
    core.post('/auth/challenge/enroll-totp', { challengeToken: token }),

  /** Adds a passkey and completes the sign-in. */
  enrollPasskey: async ({ token, name }: { token: string; name?: string }): Promise<SignInResult> =>
    (await loadPasskeys()).enroll(core, token, name),
});

/** Returns the functions of the client that need no session. All throw GatehouseError. */
export const createPublicFunctions = (core: ClientCore) => ({
  /** Registers a customer. */
  signUp: (fields: SignUpFields): Promise<SignInResult> => core.signIn('/auth/register', fields),

  /**
   * Emails a code, and with `redirectUrl` also a link that leads there. Returns the token for `signIn.emailCode()`. The
   * response is the same for every address.
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

  /** Returns the URL of the hosted sign-in page. `handleRedirect()` completes the sign-in at the redirect URL. */
  signInUrl: async (options: SignInUrlOptions): Promise<string> =>
    (await loadRedirects()).hostedPageUrl(core, options),

  /** Returns what a sign-in page should offer, also for an email address. */
  options: ({ email }: { email?: string } = {}): Promise<SignInOptions | EmailSignInOptions> =>
    email
      ? core.post('/auth/options', { email })
      : core.transport.send<SignInOptions>('GET', '/auth/options'),

  /** Verifies an email address with the token of an email. */
  verifyEmail: (token: string): Promise<VerifiedEmail> => core.post('/auth/verify-email', { token }),

  /** Emails another link for the verification. */
  resendVerification: (email: string, more: { redirectUrl?: string } = {}): Promise<void> =>
    core.post('/auth/resend-verification', { email, ...more }).then(() => undefined),

  /** Emails a link to set a new password. */
  forgotPassword: (email: string, more: { redirectUrl?: string } = {}): Promise<void> =>
    core.post('/auth/forgot-password', { email, ...more }).then(() => undefined),

  /** Sets a new password with the token of an email. It ends all sessions of the customer. */
  resetPassword: (fields: { token: string; password: string }): Promise<void> =>
    core.post('/auth/reset-password', fields),

  /** Removes what another person has added to an account that was created with the customer's address. */
  disown: (token: string): Promise<VerifiedEmail> => core.post('/auth/disown', { token }),

  /** Confirms a change of the email address with the token of an email. It requires both addresses. */
  confirmEmailChange: (token: string): Promise<EmailChange> =>
    core.post('/auth/confirm-email-change', { token }),
});
