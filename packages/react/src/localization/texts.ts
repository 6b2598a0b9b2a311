import type { en } from './en.js';

type TextGroup<Group> = { [Key in keyof Group]: string };

/** All texts in a language. They are plain strings: `{name}` is replaced by a value. */
export type Texts = Omit<TextGroup<typeof en>, 'errors' | 'reasons'> & {
  /** Sentences for the error codes. `unknown` is used for all others. */
  errors: TextGroup<(typeof en)['errors']> & Partial<Record<string, string>>;
  /** Sentences for the `weak_password` reasons. */
  reasons: TextGroup<(typeof en)['reasons']> & Partial<Record<string, string>>;
};

/** A language, or the texts that replace the English texts. */
export type Localization = Partial<Omit<Texts, 'errors' | 'reasons'>> & {
  errors?: Partial<Record<string, string>>;
  reasons?: Partial<Record<string, string>>;
};
