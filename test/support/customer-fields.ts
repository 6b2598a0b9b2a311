/** A value for each field that customers set themselves. */
export const profile = { firstName: 'Ada', lastName: 'Byron' };

/** The same fields for a customer who has set none of them. */
export const emptyProfile = { firstName: null, lastName: null };
