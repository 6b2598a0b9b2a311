import type { SignInTexts } from './sign-in-texts-english.js';

/** Returns a waiting time in words, rounded up to whole minutes, or to whole hours from two hours. */
export function formatWait(
  { minutes, hours }: Pick<SignInTexts, 'minutes' | 'hours'>,
  seconds: number,
): string {
  const count = Math.max(1, Math.ceil(seconds / 60));
  return count < 120 ? minutes(count) : hours(Math.ceil(count / 60));
}
