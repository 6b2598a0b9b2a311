/** The description of an import option on the command line and in the console. */
export interface OptionText {
  /** The option's effect, in lower case and without a period. */
  action: string;
  /** The consequence, in the same form. */
  consequence: string;
}

export const UPDATE: OptionText = {
  action: 'update existing customers with newer records from the files',
  consequence: 'without it, they stay unchanged',
};

export const ALLOW_FAST_HASHES: OptionText = {
  action: 'also import salted SHA password hashes',
  consequence: 'these passwords are quick to guess until the first sign-in replaces the hash',
};
