import type { PageTexts } from '../page-texts.js';
import { englishSignInTexts, type SignInTexts } from './sign-in-texts-english.js';
import { germanSignInTexts } from './sign-in-texts-german.js';

/** Returns the texts of the hosted sign-in page in the language of the other page texts. */
export const signInTexts = ({ language }: Pick<PageTexts, 'language'>): SignInTexts =>
  language === 'de' ? germanSignInTexts : englishSignInTexts;
