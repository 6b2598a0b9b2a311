import { customerFields, profileFields, type CustomerProfile } from '@gatehouse/domain';

const profileWith = (value: 'example' | 'default') =>
  Object.fromEntries(profileFields.map((name) => [name, customerFields[name][value]])) as CustomerProfile;

/** A value for each field that customers can set themselves. */
export const profile = profileWith('example');

/** The same fields for a customer who has set none of them. */
export const emptyProfile = profileWith('default');
