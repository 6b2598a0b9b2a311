import { useCallback } from 'react';
import { useSearchParams, type NavigateOptions } from 'react-router';

type Change = (params: URLSearchParams) => URLSearchParams | void;

/**
 * Returns a function that changes URL parameters. It starts from the URL itself: `useSearchParams` returns the
 * parameters of the last render, so a second change before the next render would undo the first.
 */
export function useUpdateSearch(): (change: Change, options?: NavigateOptions) => void {
  const [, setSearch] = useSearchParams();
  return useCallback(
    (change, options) => {
      const params = new URLSearchParams(window.location.search);
      setSearch(change(params) ?? params, options);
    },
    [setSearch],
  );
}
