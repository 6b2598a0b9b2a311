import type { ErrorCode } from '@gatehouse/domain';

/** The errors for a change that requires a recent proof of identity or the password (requirement MF-05). */
export const freshProofProblems = [
  'invalid_credentials',
  'method_not_enabled',
  'reauthentication_required',
  'sso_required',
  'too_many_attempts',
] as const satisfies ErrorCode[];
