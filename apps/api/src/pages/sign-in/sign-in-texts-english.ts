export const englishSignInTexts = {
  signIn: 'Sign in',
  signUp: 'Create your account',
  email: 'Email address',
  password: 'Password',
  forgotLink: 'Forgot password?',
  emailCode: 'Email me a code',
  emailCodeHint:
    'We will send a code to your email address. If you do not have an account yet, the code creates one.',
  passkey: 'Sign in with a passkey',
  provider: (name: string) => `Continue with ${name}`,
  omittedProviders: (names: string[]) =>
    `This application requires a recent sign-in. These providers cannot confirm one: ${names.join(', ')}.`,
  or: 'or',
  noAccount: 'No account yet?',
  signUpLink: 'Create an account',
  signUpButton: 'Create account',
  hasAccount: 'Already have an account?',
  back: 'Back to sign-in',
  noMethod: 'No sign-in method is available. Return to the application.',
  passwordHint: (minLength: number) => `At least ${minLength} characters`,
  forgotPassword: {
    title: 'Reset your password',
    text: 'Enter your email address. We will send you a link to choose a new password.',
    button: 'Send link',
  },
  resetSent: {
    title: 'Check your inbox',
    text: (email: string | null) =>
      `If there is an account for ${email ?? 'this email address'}, we have sent a link to choose a new password. It can take a minute to arrive.`,
  },
  checkInbox: {
    title: 'Confirm your email address',
    text: (email: string | null) =>
      `We have sent a message to ${email ?? 'your email address'}. Open the link in it, then sign in.`,
    button: 'Send the message again',
  },
  enterCode: {
    title: 'Enter the code',
    text: (email: string | null) =>
      `We have sent a code to ${email ?? 'your email address'}. It is valid for ten minutes.`,
    label: 'Code',
    button: 'Continue',
    again: 'Send a new code',
  },
  secondFactor: {
    title: 'Confirm that it is you',
    totp: 'Enter the code that your authenticator app shows.',
    code: 'Authenticator code',
    passkeyOnly: 'Use your passkey to continue.',
    passkey: 'Use a passkey',
    recovery: 'Use a recovery code',
    recoveryCode: 'Recovery code',
    button: 'Continue',
    unavailable: 'Your passkey cannot be used on this page. Contact the application for help.',
  },
  enroll: {
    title: 'Protect your account',
    text: 'This application requires a second step. Scan the QR code with an authenticator app, then enter the code that it shows.',
    qrCode: 'QR code for your authenticator app',
    secret: 'If you cannot scan it, type this key into the app:',
    code: 'Authenticator code',
    button: 'Confirm',
    passkey: 'Add a passkey instead',
  },
  recoveryCodes: {
    title: 'Save your recovery codes',
    text: 'Each code replaces your second step once, for example if you lose your phone. Store them in a safe place: they are not shown again.',
    button: 'I have saved the codes',
  },
  script: {
    failed: 'The passkey was not used. Try again, or use another sign-in method.',
  },
  request: {
    title: 'This page cannot be opened',
    text: 'The application has opened the sign-in page with an incorrect request. Return to the application, or inform its developer:',
    returnText: 'Return to the application and sign in again.',
  },
  minutes: (count: number) => (count === 1 ? '1 minute' : `${count} minutes`),
  hours: (count: number) => (count === 1 ? '1 hour' : `${count} hours`),
  tooManyAttempts: (wait: string) => `Too many failed attempts. Try again in ${wait}.`,
  ssoRequired: 'Your organization requires its own sign-in for this email address.',
  emailRequired:
    'The provider has not shared an email address. Enter yours, and we will confirm it with a code.',
  emailRequiredOnly:
    'The provider has not shared an email address, which this application requires. Share it there, or use another sign-in method.',
  problems: {
    email_invalid: 'Enter a valid email address.',
    password_missing: 'Enter your password.',
    invalid_credentials: 'The email address or the password is not correct.',
    customer_disabled: 'This account is disabled. Contact the application for help.',
    email_not_verified: 'Confirm your email address first: open the link in the email that we have sent.',
    method_not_enabled: 'This sign-in method is not available.',
    sign_up_not_allowed: 'New accounts cannot be created here.',
    email_already_registered: 'There is already an account for this email address. Sign in instead.',
    invalid_code: 'The code is not correct or has expired.',
    invalid_return: 'This sign-in has ended. Sign in again.',
    challenge_expired: 'This sign-in took too long. Sign in again.',
    passkey_not_accepted: 'The passkey was not accepted. Try again, or use another sign-in method.',
    too_many_passkeys: 'This account has too many passkeys.',
    provider_not_found: 'This sign-in method is not available.',
    provider_unavailable:
      'The provider cannot be reached. Try again in a moment, or use another sign-in method.',
    sign_in_failed: 'Sign-in with the provider failed. Try again, or use another sign-in method.',
    access_denied: 'Sign-in with the provider was canceled.',
    account_exists:
      'There is already an account for this email address. Sign in with the method that you used before.',
    identity_already_linked: 'This provider account is already linked to another account.',
    overloaded: 'The service is busy. Try again in a moment.',
    unavailable: 'The service is temporarily unavailable. Try again in a moment.',
  } as Partial<Record<string, string>>,
};

/** Texts of the hosted sign-in page in one language. They are escaped when the page is rendered. */
export type SignInTexts = typeof englishSignInTexts;
