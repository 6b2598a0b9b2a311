import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useUpdateSearch } from '../components/use-update-search';
import { usePreferences, useUpdatePreferences } from '../http/preferences';
import { isViewOrSort, parseFilters, type Filters, type FilterValues } from './filters';
import { VIEW_PARAM, viewParams, type SavedView } from './view-search';

/** The name under which the server stores a list's columns and saved views. */
export type ListName = SavedView['list'];

/** The URL parameter with a list's chosen columns. */
const COLUMNS_PARAM = 'columns';

/** A list's state in its URL. */
export interface ListParams {
  /** Without a name, columns cannot be chosen and views cannot be saved. */
  name: ListName | null;
  values: FilterValues;
  /** Describes an invalid filter in the URL; null if there is none. */
  filterError: string | null;
  setValue: (name: string, value: string) => void;
  clear: () => void;
  /** The columns that deviate from their default visibility: "id" shows a column, "-id" hides it. */
  columnChanges: readonly string[];
  changeColumns: (changes: string[]) => void;
  /** The open saved view's ID. */
  viewId: string | null;
  /** A saved view's content: the filters, the order and the columns, as a query with sorted names. */
  viewQuery: string;
  /** Opens a saved view, or the list without filters. */
  openView: (view: Pick<SavedView, 'id' | 'query'> | null) => void;
}

/** Returns the filters in the URL. Changes replace the history entry, so that "Back" leaves the list. */
export function useListParams(
  name: ListName | null,
  filters: Filters,
  otherParams: readonly string[],
): ListParams {
  const [search] = useSearchParams();
  const updateSearch = useUpdateSearch();
  const { columns: chosenColumns } = usePreferences();
  const updatePreferences = useUpdatePreferences();
  const { values, filterError } = useMemo(
    () => parseFilters(search, filters, name ? [...otherParams, VIEW_PARAM, COLUMNS_PARAM] : otherParams),
    [search, filters, otherParams, name],
  );
  const update = (change: Parameters<typeof updateSearch>[0]): void =>
    updateSearch(change, { replace: true });
  const setParam = (param: string, value: string): void =>
    update((params) => (value === '' ? params.delete(param) : params.set(param, value)));

  const viewId = name && search.get(VIEW_PARAM);
  const urlColumns = name && search.get(COLUMNS_PARAM);
  const columnChanges = useMemo(
    () => urlColumns?.split(',') ?? (name && viewId === null ? chosenColumns[name] : null) ?? [],
    [urlColumns, name, viewId, chosenColumns],
  );
  return {
    name,
    values,
    filterError,
    setValue: (filterName, value) => {
      const filter = filters[filterName];
      setParam(filterName, filter?.kind === 'view' && filter.fallback === value ? '' : value);
    },
    // Keeps the selected tab and the sort order.
    clear: () =>
      update(
        (params) =>
          new URLSearchParams(
            [...params].filter(([param]) => isViewOrSort(filters[param]) || otherParams.includes(param)),
          ),
      ),
    columnChanges,
    changeColumns: (changes) => {
      // An open view has its own columns.
      if (viewId !== null || urlColumns !== null) setParam(COLUMNS_PARAM, changes.join(','));
      else if (name) updatePreferences({ columns: { [name]: changes.length > 0 ? changes : null } });
    },
    viewId,
    viewQuery: toViewQuery(search, otherParams, columnChanges),
    openView: (view) =>
      update((params) => {
        const kept = [...params].filter(([param]) => otherParams.includes(param));
        return new URLSearchParams([...kept, ...(view ? viewParams(view) : [])]);
      }),
  };
}

function toViewQuery(
  search: URLSearchParams,
  otherParams: readonly string[],
  columnChanges: readonly string[],
): string {
  const params = new URLSearchParams(
    [...search].filter(([param]) => param !== VIEW_PARAM && !otherParams.includes(param)),
  );
  if (columnChanges.length > 0) params.set(COLUMNS_PARAM, columnChanges.join(','));
  params.sort();
  return params.toString();
}
