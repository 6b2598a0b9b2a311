import { englishSignInTexts } from './sign-in-texts-english.js';
import { germanSignInTexts } from './sign-in-texts-german.js';
import { formatWait } from './format-wait.js';

it('shows a wait in whole minutes, and a wait of two hours or more in whole hours', () => {
  for (const [seconds, english, german] of [
    [0, '1 minute', '1 Minute'],
    [60, '1 minute', '1 Minute'],
    [61, '2 minutes', '2 Minuten'],
    [7_140, '119 minutes', '119 Minuten'],
    [7_141, '2 hours', '2 Stunden'],
    [86_400, '24 hours', '24 Stunden'],
  ] as const) {
    expect(formatWait(englishSignInTexts, seconds)).toBe(english);
    expect(formatWait(germanSignInTexts, seconds)).toBe(german);
  }
});
