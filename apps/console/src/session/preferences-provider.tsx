import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, type ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { PreferencesContext, type Preferences, type PreferencesPatch } from '../http/preferences';
import { useApiMutation } from '../http/queries';
import { toastError } from '../components/toast';
import { SESSION_KEY, SESSION_PATH, useSession, type Session } from './session';

/** Provides the signed-in operator's preferences. A change is visible before the server has stored it. */
export function PreferencesProvider({ children }: { children: ReactNode }): ReactNode {
  const { preferences } = useSession();
  const client = useQueryClient();
  const setPreferences = useCallback(
    (change: (old: Preferences) => Preferences) =>
      client.setQueryData<Session>(
        SESSION_KEY,
        (old) => old && { ...old, preferences: old.preferences && change(old.preferences) },
      ),
    [client],
  );
  const { mutate } = useApiMutation((body: PreferencesPatch) =>
    unwrap(api.PATCH(`${SESSION_PATH}/preferences`, { body })),
  );
  const update = useCallback(
    (patch: PreferencesPatch) => {
      setPreferences((old) => applyPatch(old, patch));
      mutate(patch, {
        onError: (problem) => {
          toastError(problem);
          void client.invalidateQueries({ queryKey: SESSION_KEY });
        },
      });
    },
    [client, mutate, setPreferences],
  );
  const state = useMemo(() => preferences && { preferences, update }, [preferences, update]);
  return state ? <PreferencesContext value={state}>{children}</PreferencesContext> : children;
}

/** Returns the preferences after a change. In `columns`, null restores a list's default columns. */
function applyPatch(old: Preferences, { columns, ...changed }: PreferencesPatch): Preferences {
  const merged = Object.entries({ ...old.columns, ...columns }).filter((entry): entry is [string, string[]] =>
    Array.isArray(entry[1]),
  );
  return { ...old, ...changed, columns: Object.fromEntries(merged) };
}
