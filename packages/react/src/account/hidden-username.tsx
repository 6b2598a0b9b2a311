'use client';
import { useAccount } from './account-context.js';

/** Tells password managers to which account the password of a form belongs. It is not part of the values of the form. */
export const HiddenUsername = () => (
  <input hidden readOnly autoComplete="username" value={useAccount().customer.email} />
);
