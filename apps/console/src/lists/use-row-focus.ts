import { useCallback, useEffect } from 'react';
import { useLocation } from 'react-router';
import { scrollKey, useListVisits } from '../components/list-visits';
import { usePageTitle } from '../components/page';

/**
 * Records a list's URL and the row that the operator opens, and focuses this row again when the operator returns.
 * Returns a function to call when a row is opened.
 */
export function useRowFocus(): (rowId: string, to: string) => void {
  const location = useLocation();
  const { pathname, search } = location;
  const key = scrollKey(location);
  const label = usePageTitle();
  const visits = useListVisits();
  useEffect(() => {
    const last = visits.byPath.get(pathname);
    const rowId = last?.key === key ? last.rowId : null;
    visits.byPath.set(pathname, { to: pathname + search, label, key, rowId });
    if (rowId !== null) focusRow(rowId);
    // `label` is not a dependency, because a new title is not a new visit.
  }, [visits, pathname, search, key]);
  return useCallback(
    (rowId, to) => {
      const visit = visits.byPath.get(pathname);
      if (!visit) return;
      visit.rowId = rowId;
      visits.byRecord.set(to.replace(/[?#].*/, ''), visit);
    },
    [visits, pathname],
  );
}

/** Moves the focus to a row's link, unless the operator has already moved it. */
function focusRow(rowId: string): void {
  const { activeElement } = document;
  if (activeElement !== document.body && activeElement?.tagName !== 'H1') return;
  const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(rowId)}"] [data-row-link]`);
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: 'nearest' });
}
