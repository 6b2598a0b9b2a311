import { createContext, useContext } from 'react';
import type { Schemas } from './client';

/** The operator's preferences for displaying data in the console. */
export type Preferences = Schemas['PreferencesResponse'];
export type PreferencesPatch = Schemas['UpdatePreferencesRequest'];

interface PreferencesState {
  preferences: Preferences;
  update: (patch: PreferencesPatch) => void;
}

/** Provided by session/preferences-provider.tsx. Without a provider, for example before sign-in, the defaults apply. */
export const PreferencesContext = createContext<PreferencesState>({
  preferences: { timeZone: 'local', pageSize: 50, columns: {} },
  update: () => undefined,
});

/** Returns the signed-in operator's preferences, which the server stores. */
export const usePreferences = (): Preferences => useContext(PreferencesContext).preferences;

/** Returns a function that changes preferences. */
export const useUpdatePreferences = (): PreferencesState['update'] => useContext(PreferencesContext).update;
