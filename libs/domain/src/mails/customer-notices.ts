/** Emails that inform customers about a change. They require no action and contain no link to Gatehouse. */
export const customerNotices = [
  'password-changed',
  'password-closed',
  'already-registered',
  'factor-added',
  'factor-removed',
  'passkey-added',
  'passkey-removed',
  'identity-linked',
  'identity-unlinked',
  'recovery-code-used',
] as const;
export type CustomerNotice = (typeof customerNotices)[number];
