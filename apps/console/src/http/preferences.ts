import { createContext, useContext } from 'react';
import type { Schemas } from './client';

/** How the console shows data to the operator. */
export type Preferences = Schemas['PreferencesResponse'];
export type PreferencesPatch = Schemas['UpdatePreferencesRequest'];

interface PreferencesState {
  preferences: Preferences;
  update: (patch: PreferencesPatch) => void;
}

/** Provided by session/preferences-provider.tsx. Without a provider, for example before the sign-in, the defaults apply. */
export const PreferencesContext = createContext<PreferencesState>({
  preferences: { timeZone: 'local', pageSize: 50, columns: {} },
  update: () => undefined,
});

/** Returns the preferences of the signed-in operator, which the server stores. */
export const usePreferences = (): Preferences => useContext(PreferencesContext).preferences;

/** Returns a function that changes preferences. */
export const useUpdatePreferences = (): PreferencesState['update'] => useContext(PreferencesContext).update;
