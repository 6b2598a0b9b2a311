import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { Filters } from './filters';

/**
 * Returns a list's filters, including the `linked` filters that the URL contains. Links from other screens set these
 * filters, and they have a control only while they are set. Both arguments must be constants.
 */
export function useLinkedFilters(filters: Filters, linked: Filters): Filters {
  const [search] = useSearchParams();
  const names = Object.keys(linked)
    .filter((name) => search.has(name))
    .join();
  return useMemo(
    () => ({
      ...filters,
      ...Object.fromEntries(Object.entries(linked).filter(([name]) => names.split(',').includes(name))),
    }),
    [filters, linked, names],
  );
}
