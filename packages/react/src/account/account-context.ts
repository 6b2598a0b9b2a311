import type { Client, Customer, SignInOptions } from '@gatehouse/js';
import { createContext, useContext } from 'react';

/**
 * Calls a function, and again after each proof of identity that it requires. @param action takes the password if needed
 */
export type Prove = <Result>(action: (password?: string) => Promise<Result>) => Promise<Result>;

/** The context that the account settings sections share. */
export interface Account {
  client: Client;
  customer: Customer;
  options: SignInOptions;
  /** Loads the customer and the options again. */
  reload: () => Promise<void>;
  prove: Prove;
  /** Returns the URL at which identity provider flows end. */
  pageUrl: () => string;
}

export const AccountContext = createContext<Account | null>(null);

/** Returns the context that the sections share. */
export const useAccount = (): Account => useContext(AccountContext)!;
