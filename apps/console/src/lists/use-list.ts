import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Problem } from '../http/problem';
import { fetchPath, type ResponseOf, type ParamsOf, type GetPath } from '../http/queries';
import {
  isFiltered,
  toQuery,
  parseFilters,
  type Filters,
  type FilterValues,
  type ListQuery,
} from './filters';

const PAGE_SIZE = 50;
/**
 * An answer looks at a bounded number of records and may hold none that match, with more to come. So many are asked for
 * until there is one; then somebody has to ask to look further.
 */
const MAX_REQUESTS = 20;
const LIVE_INTERVAL_MS = 2_000;
const LIVE_COUNT_INTERVAL_MS = 10_000;

/** A record of the list at a path. */
export type RowOf<P extends GetPath> = ResponseOf<P> extends { data: (infer Row)[] } ? Row : never;

interface ListOptions<P extends GetPath, Row> {
  path: P;
  filters?: Filters;
  /** The route that counts what the filters match, up to 10,000. */
  count?: GetPath;
  /** Parameters of the path: `{customerId: id}`. */
  pathParams?: ParamsOf<P> extends { path: infer Path } ? Path : never;
  /** What always narrows it: `{customer_id: id}`. */
  fixedQuery?: ListQuery;
  /** What tells its rows apart; `id` by default. */
  rowId?: (row: Row) => string;
  /** Parameters of the page's URL that are no filters. */
  otherParams?: readonly string[];
  /** Rows that are asked for at a time; 50 by default. */
  pageSize?: number;
}

interface Page<Row> {
  rows: Row[];
  cursor: string | null;
  /** As it was asked: presets of time must not move between two pages. */
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

/** Lists come in the envelopes of the two families. */
interface Envelope<Row> {
  data: Row[];
  nextCursor?: string | null;
  next_cursor?: string | null;
}

/** Everything that a `<List>` shows and does. */
export interface ListState<Row> {
  filters: Filters;
  values: FilterValues;
  /** Why the filters of the URL cannot be understood. */
  filterError: string | null;
  isFiltered: boolean;
  setValue: (name: string, value: string) => void;
  clear: () => void;
  /** The parameters of the API for the filters, as of now. */
  query: () => ListQuery;
  rows: Row[];
  rowId: (row: Row) => string;
  error: Problem | null;
  isLoading: boolean;
  isStale: boolean;
  /** Whether there may be more beyond what was looked at. */
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

/** What a list knows of itself apart from its rows. */
export type ListControls = Omit<ListState<unknown>, 'rows' | 'rowId' | 'select'>;

const NO_FILTERS: Filters = {};
const NO_PARAMS = {};
const OTHER_PARAMS = ['tab'] as const;
const getId = (row: unknown): string => (row as { id: string }).id;

/** A list of the operator API: filters in the URL, pages by cursor, a capped count, a selection, a live tail. */
export function useList<P extends GetPath, Row = RowOf<P>>(options: ListOptions<P, Row>): ListState<Row> {
  const {
    path,
    filters = NO_FILTERS,
    fixedQuery = NO_PARAMS,
    pathParams = NO_PARAMS,
    rowId = getId,
  } = options;
  const url = useFilters(filters, options.otherParams ?? OTHER_PARAMS);
  const { values, filterError } = url;
  const [isLive, setLive] = useState(false);
  const scope = JSON.stringify([values, fixedQuery, pathParams]);
  const [selected, select, deselect] = useSelection(rowId, scope);
  const isTailing = isLive && selected.size === 0;
  const query = (): ListQuery => ({ ...toQuery(values, filters, Date.now()), ...fixedQuery });

  const client = useQueryClient();
  const key = [path, 'list', scope];
  const found = useInfiniteQuery<Page<Row>, Problem, InfiniteData<Page<Row>>, string[], NextPage | null>({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => {
      const asked = pageParam?.query ?? query();
      let cursor = pageParam?.cursor ?? null;
      for (let looks = MAX_REQUESTS; ; looks -= 1) {
        const narrowed = { ...asked, limit: options.pageSize ?? PAGE_SIZE, ...(cursor && { cursor }) };
        const body = (await fetchPath(path, { path: pathParams, query: narrowed }, signal)) as Envelope<Row>;
        cursor = body.nextCursor ?? body.next_cursor ?? null;
        if (body.data.length > 0 || !cursor || looks <= 1) return { rows: body.data, cursor, query: asked };
      }
    },
    initialPageParam: null,
    getNextPageParam: ({ cursor, query: asked }) => (cursor ? { cursor, query: asked } : null),
    enabled: filterError === null,
    refetchInterval: isTailing && LIVE_INTERVAL_MS,
    // Nor does coming back to the page move what is being selected.
    refetchOnWindowFocus: selected.size === 0,
    placeholderData: (last) => last,
  });
  const counted = useCount(
    options.count,
    { path: pathParams, query },
    scope,
    filterError === null,
    isTailing,
  );
  const count = counted ?? (options.count ? null : countLoaded(found));
  const isKnownEmpty = count?.count === 0 && !count.isMore;

  return {
    filters,
    ...url,
    clear: () => {
      deselect();
      url.clear();
    },
    isFiltered: isFiltered(values, filters),
    query,
    rows: useMemo(() => found.data?.pages.flatMap(({ rows }) => rows) ?? [], [found.data]),
    rowId,
    error: found.error,
    isLoading: found.isPending && filterError === null,
    isStale: found.isPlaceholderData,
    mayHaveMore: found.hasNextPage && !isKnownEmpty,
    hasMore: found.hasNextPage && !isLive,
    isLoadingMore: found.isFetchingNextPage,
    loadMore: () => void found.fetchNextPage(),
    refetch: () => void found.refetch(),
    count,
    selected,
    select,
    isLive,
    setLive: (live) => {
      // The tail is the first page: further ones would be asked again each time.
      client.setQueryData<InfiniteData<Page<Row>>>(key, (old) =>
        old && live ? { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) } : old,
      );
      setLive(live);
    },
  };
}

/** Where no route counts, what was read so far. */
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

/** The filters in the URL; what changes there replaces the entry of the history, so that "back" leaves the list. */
function useFilters(filters: Filters, otherParams: readonly string[]) {
  const [search, setSearch] = useSearchParams();
  const { values, filterError } = useMemo(
    () => parseFilters(search, filters, otherParams),
    [search, filters, otherParams],
  );
  const setValue = (name: string, value: string): void => {
    const filter = filters[name];
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === '' || (filter?.kind === 'view' && filter.fallback === value)) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  };
  /** But for the tab one is in. */
  const clear = (): void =>
    setSearch(
      (before) =>
        new URLSearchParams(
          [...before].filter(([name]) => filters[name]?.kind === 'view' || otherParams.includes(name)),
        ),
      { replace: true },
    );
  return { values, filterError, setValue, clear };
}

const NO_SELECTION: ReadonlyMap<string, never> = new Map<string, never>();

/** Rows by their ids; other filters, another selection. */
function useSelection<Row>(rowId: (row: Row) => string, scope: string) {
  const [held, setHeld] = useState<{ scope: string; rows: ReadonlyMap<string, Row> }>({
    scope,
    rows: NO_SELECTION,
  });
  const rows = held.scope === scope ? held.rows : NO_SELECTION;
  const select = (changed: Row[], isSelected: boolean): void => {
    const next = new Map(rows);
    for (const row of changed) {
      if (isSelected) next.set(rowId(row), row);
      else next.delete(rowId(row));
    }
    setHeld({ scope, rows: next });
  };
  const deselect = useCallback(() => setHeld({ scope: '', rows: NO_SELECTION }), []);
  return [rows, select, deselect] as const;
}
