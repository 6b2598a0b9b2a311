import { createContext, useContext } from 'react';

/** Requests reauthentication from the operator. Resolves to false if the operator cancels. */
export type Reauthenticate = () => Promise<boolean>;

/**
 * Provided by sign-in/reauthentication-provider.tsx. Without a provider, actions that require reauthentication fail.
 */
export const ReauthenticationContext = createContext<Reauthenticate>(() => Promise.resolve(false));

export const useReauthentication = (): Reauthenticate => useContext(ReauthenticationContext);
