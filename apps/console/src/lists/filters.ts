import { parseTimeRange } from '../components/time-range';
import type { TimeZone } from '../components/time';
import { redactSecrets } from '../components/redact-secrets';

interface Labeled {
  label: string;
}

/** A list filter. Its name in the URL is its key in `Filters`. */
export type Filter = Labeled &
  (
    | { kind: 'text'; placeholder?: string; pattern?: RegExp }
    | { kind: 'number'; placeholder?: string }
    | { kind: 'choice'; options: Record<string, string> }
    | { kind: 'view'; options: Record<string, string>; fallback: string }
    | { kind: 'sort'; options: Record<string, string> }
    | { kind: 'project' | 'endpoint' | 'organization' }
    | { kind: 'record'; kinds: Readonly<Record<string, string>>; pattern: RegExp }
    | { kind: 'event-type'; groups: boolean }
    | { kind: 'time'; after: string; before?: string }
  );

/** A list's filters. Each key is the name in the URL and, except for time filters, the API parameter. */
export type Filters = Record<string, Filter>;

/** The filter values; "" if a filter is not set. */
export type FilterValues = Record<string, string>;

/** The query parameters for the API request. */
export type ListQuery = Record<string, string>;

/**
 * Creates a filter for entered text, such as a delivery ID, an email address or part of a name. "/" focuses it if it is
 * the list's first filter.
 * @param pattern matches valid values. The API would reject all others, such as a partial ID
 */
export const textFilter = (label: string, placeholder?: string, pattern?: RegExp): Filter => ({
  kind: 'text',
  label,
  placeholder,
  pattern,
});

export const numberFilter = (label: string, placeholder?: string): Filter => ({
  kind: 'number',
  label,
  placeholder,
});

/** Creates a filter with fixed options: the API values and their labels. */
export const choiceFilter = (label: string, options: Record<string, string>): Filter => ({
  kind: 'choice',
  label,
  options,
});

/** Creates tabs above the list. One tab is always selected: `fallback` if the URL contains none. */
export const viewFilter = (label: string, options: Record<string, string>, fallback: string): Filter => ({
  kind: 'view',
  label,
  options,
  fallback,
});

/**
 * Creates the sort order of a list, which the headers of columns with `sort` change. Its name must be `sort`.
 * @param fields the API values for the ascending order and their labels: `{created_at: 'Created'}`. A leading "-"
 *   in the sort value means descending order
 */
export const sortFilter = (fields: Record<string, string>): Filter => ({
  kind: 'sort',
  label: 'Sort by',
  options: Object.fromEntries(
    Object.entries(fields).flatMap(([field, label]) => [
      [`-${field}`, `${label}, descending`],
      [field, `${label}, ascending`],
    ]),
  ),
});

export const projectFilter = (): Filter => ({ kind: 'project', label: 'Project' });
export const endpointFilter = (): Filter => ({ kind: 'endpoint', label: 'Endpoint' });
export const organizationFilter = (): Filter => ({ kind: 'organization', label: 'Organization' });

/**
 * Creates a filter for records of several kinds, which are searched by name.
 * @param kinds the search result kinds, and their labels
 * @param pattern matches the IDs that the API accepts
 */
export const recordFilter = (
  label: string,
  kinds: Readonly<Record<string, string>>,
  pattern: RegExp,
): Filter => ({
  kind: 'record',
  label,
  kinds,
  pattern,
});

/**
 * Creates a filter for the event type.
 * @param groups true to offer `customer.*` too, which includes all events for a resource
 */
export const eventTypeFilter = (groups = false): Filter => ({
  kind: 'event-type',
  label: 'Event type',
  groups,
});

/**
 * Creates a filter for a time range: a preset, or a start and an end.
 * @param after the API parameter for the start
 * @param before the API parameter for the end
 */
export const timeFilter = (label: string, after: string, before?: string): Filter => ({
  kind: 'time',
  label,
  after,
  before,
});

/**
 * Reads the filters from a URL. `filterError` describes an invalid filter. Ignoring it would show more
 * records than requested.
 */
export function parseFilters(
  search: URLSearchParams,
  filters: Filters,
  otherParams: readonly string[],
): { values: FilterValues; filterError: string | null } {
  const values: FilterValues = {};
  for (const [name, filter] of Object.entries(filters)) {
    values[name] = search.get(name) || (filter.kind === 'view' ? filter.fallback : '');
  }
  const invalid = Object.entries(filters).find(([name, filter]) => !isValidValue(filter, values[name] ?? ''));
  if (invalid)
    return {
      values,
      filterError: `“${values[invalid[0]]}” is not a valid value for the filter ${invalid[1].label}.`,
    };
  const unknownName = [...search.keys()].find((name) => !(name in filters) && !otherParams.includes(name));
  return { values, filterError: unknownName === undefined ? null : `Unknown filter “${unknownName}”.` };
}

function isValidValue(filter: Filter, value: string): boolean {
  if (value === '') return true;
  if (filter.kind === 'text' || filter.kind === 'record') return filter.pattern?.test(value.trim()) ?? true;
  if (filter.kind === 'number') return /^\d{1,9}$/.test(value);
  if (filter.kind === 'choice' || filter.kind === 'view' || filter.kind === 'sort')
    return Object.hasOwn(filter.options, value);
  if (filter.kind !== 'time') return true;
  const bounds = parseTimeRange(value, 0, 'utc');
  return bounds !== null && !(bounds.before && !filter.before);
}

/**
 * Returns the API parameters for valid values.
 * @param now ms since 1970
 * @param zone the zone for "today" and "yesterday"
 */
export function toQuery(values: FilterValues, filters: Filters, now: number, zone: TimeZone): ListQuery {
  const query: ListQuery = {};
  for (const [name, filter] of Object.entries(filters)) {
    const value = values[name];
    if (!value) continue;
    if (filter.kind !== 'time') query[name] = redactSecrets(value.trim());
    else {
      const { after, before } = parseTimeRange(value, now, zone) ?? {};
      if (after) query[filter.after] = after;
      if (before && filter.before) query[filter.before] = before;
    }
  }
  return query;
}

/** Returns true for tabs and the sort order, which do not count as filters. */
export const isViewOrSort = (filter: Filter | undefined): boolean =>
  filter?.kind === 'view' || filter?.kind === 'sort';

/** Returns true if a filter is set. Tabs and the sort order do not count. */
export function isFiltered(values: FilterValues, filters: Filters): boolean {
  return Object.entries(filters).some(([name, filter]) => !isViewOrSort(filter) && values[name]);
}
