'use client';
import { useAccount } from './account-context.js';

/** Identifies the account of a password form to password managers. It is not part of the form's values. */
export const HiddenUsername = () => (
  <input hidden readOnly autoComplete="username" value={useAccount().customer.email} />
);
