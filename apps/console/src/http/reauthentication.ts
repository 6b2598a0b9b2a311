import { createContext, useContext } from 'react';

/** Requests a second-factor code. Resolves to false if the operator cancels. */
export type Reauthenticate = () => Promise<boolean>;

/** Provided by sign-in/reauthentication-provider.tsx. Without a provider, actions that require a code fail. */
export const ReauthenticationContext = createContext<Reauthenticate>(() => Promise.resolve(false));

export const useReauthentication = (): Reauthenticate => useContext(ReauthenticationContext);
