/** An import option, as the command line and the console explain it. */
export interface OptionText {
  /** The option's action, without a capital letter and a period. */
  action: string;
  /** The action's consequence, in the same form. */
  consequence: string;
}

export const UPDATE: OptionText = {
  action: 'update the customers that exist with newer records of the files',
  consequence: 'without it, they stay unchanged',
};

export const ALLOW_FAST_HASHES: OptionText = {
  action: 'also import password hashes with salted SHA',
  consequence: 'they are fast to guess, until the first sign-in replaces them',
};
