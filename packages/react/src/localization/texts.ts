import type { en } from './en.js';

type TextGroup<Group> = { [Key in keyof Group]: string };

/** All texts of a language. They are plain strings: `{name}` is replaced by a value. */
export type Texts = Omit<TextGroup<typeof en>, 'errors' | 'reasons'> & {
  /** Sentences for the codes of errors. `unknown` is used for all others. */
  errors: TextGroup<(typeof en)['errors']> & Partial<Record<string, string>>;
  /** Sentences for the reasons of `weak_password`. */
  reasons: TextGroup<(typeof en)['reasons']> & Partial<Record<string, string>>;
};

/** A language, or the texts that replace those of the English language. */
export type Localization = Partial<Omit<Texts, 'errors' | 'reasons'>> & {
  errors?: Partial<Record<string, string>>;
  reasons?: Partial<Record<string, string>>;
};
