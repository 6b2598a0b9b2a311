import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { Filters } from './filters';

/**
 * The filters of a list, with those of `linked` that the URL names: a link from another screen sets them, and only then
 * do they have a control. Both must be constants.
 */
export function useLinkedFilters(filters: Filters, linked: Filters): Filters {
  const [search] = useSearchParams();
  const named = Object.keys(linked)
    .filter((name) => search.has(name))
    .join();
  return useMemo(
    () => ({
      ...filters,
      ...Object.fromEntries(Object.entries(linked).filter(([name]) => named.split(',').includes(name))),
    }),
    [filters, linked, named],
  );
}
