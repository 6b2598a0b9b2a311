import type { PageTexts } from '../page-texts.js';
import { englishSignInTexts, type SignInTexts } from './sign-in-texts-english.js';
import { germanSignInTexts } from './sign-in-texts-german.js';

/** Returns the hosted sign-in page's texts in the same language as other texts. */
export const signInTexts = ({ language }: Pick<PageTexts, 'language'>): SignInTexts =>
  language === 'de' ? germanSignInTexts : englishSignInTexts;
