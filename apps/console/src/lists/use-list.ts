import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { usePreferences } from '../http/preferences';
import type { Problem } from '../http/problem';
import { fetchPath, type ResponseOf, type ParamsOf, type GetPath } from '../http/queries';
import { isFiltered, toQuery, type Filters, type ListQuery } from './filters';
import { useListParams, type ListName, type ListParams } from './use-list-params';

/**
 * Maximum number of requests for one page. A response covers a bounded number of records and can be empty even if older
 * records match. Requests are repeated until one returns a match. After the maximum, the operator must request older
 * records.
 */
const MAX_REQUESTS = 20;
const LIVE_INTERVAL_MS = 2_000;
const LIVE_COUNT_INTERVAL_MS = 10_000;

/** The record type in a list. */
export type RowOf<P extends GetPath> = ResponseOf<P> extends { data: (infer Row)[] } ? Row : never;

interface ListOptions<P extends GetPath, Row> {
  /** Allows operators to choose the columns and save views. */
  name?: ListName;
  path: P;
  filters?: Filters;
  /** The API route that counts the matching records, up to 10,000. */
  count?: GetPath;
  /** Path parameters: `{customerId: id}`. */
  pathParams?: ParamsOf<P> extends { path: infer Path } ? Path : never;
  /** Query parameters that are always sent: `{customer_id: id}`. */
  fixedQuery?: ListQuery;
  /** Returns a row's unique ID. Default: `id`. */
  rowId?: (row: Row) => string;
  /** URL parameters on the page that are not filters. */
  otherParams?: readonly string[];
  /** Rows per request. Default: the operator's preference. */
  pageSize?: number;
}

interface Page<Row> {
  rows: Row[];
  cursor: string | null;
  /** The first request's query. All pages use it, so that they all cover the same time range. */
  query: ListQuery;
}

interface NextPage {
  cursor: string;
  query: ListQuery;
}

export interface Count {
  count: number;
  isMore: boolean;
}

/** A list's response body, in the formats of both API families. */
interface Envelope<Row> {
  data: Row[];
  nextCursor?: string | null;
  next_cursor?: string | null;
}

/** The state and the actions for a `<List>`. */
export interface ListState<Row> extends ListParams {
  filters: Filters;
  isFiltered: boolean;
  /** Returns the current API parameters for the filters. */
  query: () => ListQuery;
  rows: Row[];
  rowId: (row: Row) => string;
  /** The last request's error. The last successful request's rows are kept. */
  error: Problem | null;
  /** True if `error` comes from a request for more rows. */
  isLoadMoreError: boolean;
  /** The time of the last successful request in ms since 1970; 0 if there is none. */
  updatedAt: number;
  isLoading: boolean;
  isStale: boolean;
  /** True if records that were not scanned yet may match. */
  mayHaveMore: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  refetch: () => void;
  count: Count | null;
  selected: ReadonlyMap<string, Row>;
  select: (rows: Row[], isSelected: boolean) => void;
  isLive: boolean;
  setLive: (isLive: boolean) => void;
}

/** A list's state without its rows. */
export type ListControls = Omit<ListState<unknown>, 'rows' | 'rowId' | 'select'>;

const NO_FILTERS: Filters = {};
const NO_PARAMS = {};
const OTHER_PARAMS = ['tab'] as const;
const getId = (row: unknown): string => (row as { id: string }).id;

/**
 * Returns a list from the operator API: filters in the URL, cursor pagination, a capped count, a selection and live
 * updates.
 */
export function useList<P extends GetPath, Row = RowOf<P>>(options: ListOptions<P, Row>): ListState<Row> {
  const {
    path,
    filters = NO_FILTERS,
    fixedQuery = NO_PARAMS,
    pathParams = NO_PARAMS,
    rowId = getId,
  } = options;
  const params = useListParams(options.name ?? null, filters, options.otherParams ?? OTHER_PARAMS);
  const { values, filterError } = params;
  const [isLive, setLive] = useState(false);
  const { timeZone, pageSize } = usePreferences();
  const scope = JSON.stringify([values, fixedQuery, pathParams, timeZone]);
  const [selected, select, deselect] = useSelection(rowId, scope);
  const isUpdating = isLive && selected.size === 0;
  const query = (): ListQuery => ({ ...toQuery(values, filters, Date.now(), timeZone), ...fixedQuery });

  const client = useQueryClient();
  const key = [path, 'list', scope];
  const result = useInfiniteQuery<Page<Row>, Problem, InfiniteData<Page<Row>>, string[], NextPage | null>({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => {
      const pageQuery = pageParam?.query ?? query();
      let cursor = pageParam?.cursor ?? null;
      for (let remainingRequests = MAX_REQUESTS; ; remainingRequests -= 1) {
        const queryParams = { ...pageQuery, limit: options.pageSize ?? pageSize, ...(cursor && { cursor }) };
        const body = (await fetchPath(
          path,
          { path: pathParams, query: queryParams },
          signal,
        )) as Envelope<Row>;
        cursor = body.nextCursor ?? body.next_cursor ?? null;
        if (body.data.length > 0 || !cursor || remainingRequests <= 1)
          return { rows: body.data, cursor, query: pageQuery };
      }
    },
    initialPageParam: null,
    getNextPageParam: ({ cursor, query: pageQuery }) => (cursor ? { cursor, query: pageQuery } : null),
    enabled: filterError === null,
    refetchInterval: isUpdating && LIVE_INTERVAL_MS,
    // Returning to the window must not move rows while rows are selected.
    refetchOnWindowFocus: selected.size === 0,
    placeholderData: (last) => last,
  });
  const counted = useCount(
    options.count,
    { path: pathParams, query },
    scope,
    filterError === null,
    isUpdating,
  );
  const count = counted ?? (options.count ? null : countLoaded(result));
  const isKnownEmpty = count?.count === 0 && !count.isMore;

  return {
    filters,
    ...params,
    clear: () => {
      deselect();
      params.clear();
    },
    isFiltered: isFiltered(values, filters),
    query,
    rows: useMemo(() => result.data?.pages.flatMap(({ rows }) => rows) ?? [], [result.data]),
    rowId,
    error: result.error,
    isLoadMoreError: result.isFetchNextPageError,
    updatedAt: result.dataUpdatedAt,
    isLoading: result.isPending && filterError === null,
    isStale: result.isPlaceholderData,
    mayHaveMore: result.hasNextPage && !isKnownEmpty,
    hasMore: result.hasNextPage && !isLive,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
    refetch: () => void result.refetch(),
    count,
    selected,
    select,
    isLive,
    setLive: (live) => {
      // Live updates include only the first page, because every update would request all further pages again.
      client.setQueryData<InfiniteData<Page<Row>>>(key, (old) =>
        old && live ? { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) } : old,
      );
      setLive(live);
    },
  };
}

/** Counts the loaded rows, for lists without a route that counts them. */
function countLoaded({
  data,
  hasNextPage,
}: {
  data?: InfiniteData<Page<unknown>>;
  hasNextPage: boolean;
}): Count | null {
  if (!data) return null;
  return { count: data.pages.reduce((sum, { rows }) => sum + rows.length, 0), isMore: hasNextPage };
}

function useCount(
  path: GetPath | undefined,
  params: { path: unknown; query: () => ListQuery },
  scope: string,
  isEnabled: boolean,
  isLive: boolean,
): Count | null {
  const { data } = useQuery<Count, Problem>({
    queryKey: [path ?? '', 'count', scope],
    queryFn: async ({ signal }) =>
      (await fetchPath(path!, { path: params.path, query: params.query() }, signal)) as Count,
    enabled: isEnabled && path !== undefined,
    refetchInterval: isLive && LIVE_COUNT_INTERVAL_MS,
    retry: false,
  });
  return data ?? null;
}

const NO_SELECTION: ReadonlyMap<string, never> = new Map<string, never>();

/** Returns the selected rows by ID. A filter change clears the selection. */
function useSelection<Row>(rowId: (row: Row) => string, scope: string) {
  const [selection, setSelection] = useState<{ scope: string; rows: ReadonlyMap<string, Row> }>({
    scope,
    rows: NO_SELECTION,
  });
  const rows = selection.scope === scope ? selection.rows : NO_SELECTION;
  const select = (changed: Row[], isSelected: boolean): void => {
    const next = new Map(rows);
    for (const row of changed) {
      if (isSelected) next.set(rowId(row), row);
      else next.delete(rowId(row));
    }
    setSelection({ scope, rows: next });
  };
  const deselect = useCallback(() => setSelection({ scope: '', rows: NO_SELECTION }), []);
  return [rows, select, deselect] as const;
}
