import type { en } from './en.js';

type TextGroup<Group> = { [Key in keyof Group]: string };

/** All texts in a language: plain strings with placeholders such as `{name}`. */
export type Texts = Omit<TextGroup<typeof en>, 'errors' | 'reasons'> & {
  /** Messages by error code. `unknown` is used for all other codes. */
  errors: TextGroup<(typeof en)['errors']> & Partial<Record<string, string>>;
  /** Messages for the `weak_password` reasons. */
  reasons: TextGroup<(typeof en)['reasons']> & Partial<Record<string, string>>;
};

/** A language, or individual texts that replace the English ones. */
export type Localization = Partial<Omit<Texts, 'errors' | 'reasons'>> & {
  errors?: Partial<Record<string, string>>;
  reasons?: Partial<Record<string, string>>;
};
