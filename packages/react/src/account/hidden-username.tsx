'use client';
import { useAccount } from './account-context.js';

/** Identifies the account of a password form to password managers. Not submitted with the form. */
export const HiddenUsername = () => (
  <input hidden readOnly autoComplete="username" value={useAccount().customer.email} />
);
