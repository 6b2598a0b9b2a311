import type { ProjectFields } from './use-project-form';

/** The labels of the fields of a project. */
export const projectLabels: Record<keyof ProjectFields, string> = {
  name: 'Name',
  allowedOrigins: 'Allowed origins',
  redirectUrls: 'Redirect URLs',
  verifyEmailUrl: 'Verification page URL',
  resetPasswordUrl: 'Password reset page URL',
  acceptInviteUrl: 'Invitation page URL',
  'signIn.password': 'Password',
  'signIn.emailCode': 'Email code',
  testEmailCode: 'Test email code',
  'signIn.passkey': 'Passkey',
  'signIn.allowSignUp': 'Allow sign-up',
  'legacySignIn.url': 'Previous system',
  'legacySignIn.secret': 'Secret of the previous system',
  requireVerifiedEmail: 'Require a verified email address',
  enumerationProtection: 'Enumeration protection',
  'passkeys.rpId': 'Domain',
  'passkeys.origins': 'Origins',
  'passkeys.rpName': 'Displayed name',
  mfa: 'Second factor at sign-in',
  mfaGraceDays: 'Grace period in days',
  accessTokenTtl: 'Access token lifetime',
  refreshIdleTtl: 'Session idle timeout',
  refreshAbsoluteTtl: 'Maximum session lifetime',
  refreshGrace: 'Repeat a lost refresh',
  accessTokenClaims: 'Claims',
  signingAlgorithm: 'Signing algorithm',
  passwordMinLength: 'Minimum length',
  passwordHashing: 'Password hashes',
  breachCheck: 'Reject breached passwords',
  'branding.displayName': 'Display name',
  'branding.logoUrl': 'Logo URL',
  'branding.color': 'Color',
  defaultLocale: 'Default language',
  'mail.fromName': 'Sender name',
  'mail.replyTo': 'Reply-to address',
  'mailLimits.signUp': 'Sign-up emails',
  'mailLimits.passwordReset': 'Password reset emails',
  'mailLimits.emailChange': 'Email change confirmations',
  'mailLimits.invitation': 'Invitations',
  'mailLimits.signIn': 'Sign-in codes',
  'mailLimits.perRecipient': 'Emails per recipient',
  'limits.login': 'Password sign-ins',
  'limits.register': 'Registrations',
  'limits.verify': 'Email verifications',
  'limits.reset': 'Password resets',
  'limits.forgot': 'Password reset requests',
  'limits.resend': 'Verification email requests',
  'limits.emailCode': 'Sign-in code requests',
  'limits.emailCodeVerify': 'Sign-in codes',
  'limits.challenge': 'Second factors',
  'limits.reauthenticate': 'Proofs of identity',
  'limits.passkey': 'Passkey sign-ins',
  'limits.passkeyOptions': 'Passkey requests',
  'limits.oauth': 'Identity provider sign-ins',
  'limits.exchange': 'Code exchanges',
  'limits.options': 'Sign-in options requests',
  'limits.signInPage': 'Hosted sign-in page views',
  'limits.refresh': 'Token refreshes',
  'limits.failedLogin': 'Failed password sign-ins',
  'limits.wrongEmailCode': 'Wrong sign-in codes',
  'limits.failedSecondFactor': 'Failed second factors',
  'limits.failureWindow': 'Window of failed attempts (seconds)',
};

/** The sections of labels that are not unique. */
const sections: Record<string, string> = {
  passkeys: 'Passkeys',
  branding: 'Branding',
  mail: 'Email',
  mailLimits: 'Email limits',
  limits: 'Rate limits',
};

/** The labels with the sections of those that need it: "Branding: Color". */
export const fullProjectLabels = Object.fromEntries(
  Object.entries(projectLabels).map(([key, label]) => {
    const section = sections[key.split('.')[0]!];
    return [key, section ? `${section}: ${label}` : label];
  }),
) as typeof projectLabels;
