import type { Client, Customer, SignInOptions } from '@gatehouse/js';
import { createContext, useContext } from 'react';

/**
 * Calls a function, and calls it again after each reauthentication that it requires.
 * @param action takes the current password if the change itself requires it
 */
export type Prove = <Result>(action: (password?: string) => Promise<Result>) => Promise<Result>;

/** The context that the account settings sections share. */
export interface Account {
  client: Client;
  customer: Customer;
  options: SignInOptions;
  /** Reloads the customer and the options. */
  reload: () => Promise<void>;
  prove: Prove;
  /** Returns the URL where identity provider flows end. */
  pageUrl: () => string;
}

export const AccountContext = createContext<Account | null>(null);

/** Returns the context that the sections share. */
export const useAccount = (): Account => useContext(AccountContext)!;
