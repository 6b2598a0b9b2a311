import { parseTimeRange } from '../components/time-range';
import type { TimeZone } from '../components/time';
import { redactSecrets } from '../components/redact-secrets';

interface Labeled {
  label: string;
}

/** A filter of a list. Its name in the URL is its key in `Filters`. */
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

/**
 * The filters of a list. Each key is the name in the URL and, except for time filters, the parameter of the
 * API.
 */
export type Filters = Record<string, Filter>;

/** The values of the filters; "" if a filter is not set. */
export type FilterValues = Record<string, string>;

/** The query parameters of the API request. */
export type ListQuery = Record<string, string>;

/**
 * Creates a filter for entered text, such as a delivery ID, an email address or a part of a name. "/" focuses
 * it if it is the first filter of the list.
 * @param pattern values that do not match it would be rejected by the API, for example a part of an ID
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

/** Creates a filter with fixed options: the values of the API and their labels. */
export const choiceFilter = (label: string, options: Record<string, string>): Filter => ({
  kind: 'choice',
  label,
  options,
});

/** Creates tabs above the list, one of which is always selected: `fallback` if the URL contains none. */
export const viewFilter = (label: string, options: Record<string, string>, fallback: string): Filter => ({
  kind: 'view',
  label,
  options,
  fallback,
});

/**
 * Creates the order of a list, which the headers of columns with `sort` change. Its name must be `sort`.
 * @param fields the values of the API for the ascending order and their labels: `{created_at: 'Created'}`. A
 *   value with a leading "-" is the descending order
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
 * Creates a filter for a record of several kinds, which are searched by name.
 * @param kinds the kinds of search results, and their labels
 * @param pattern of the ids that the API accepts
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
 * @param groups true to offer `customer.*` too, which includes all events of a resource
 */
export const eventTypeFilter = (groups = false): Filter => ({
  kind: 'event-type',
  label: 'Event type',
  groups,
});

/**
 * Creates a filter for a time range: a preset, or a start and an end.
 * @param after the API parameter of the start
 * @param before the API parameter of the end
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
 * Returns the API parameters of valid values.
 * @param now ms since 1970
 * @param zone the zone of "today" and "yesterday"
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

/** Returns true for the tabs and the order of a list, which do not limit its records to those searched for. */
export const isArrangement = (filter: Filter | undefined): boolean =>
  filter?.kind === 'view' || filter?.kind === 'sort';

/** Returns true if a filter is set. Tabs and the order do not count. */
export function isFiltered(values: FilterValues, filters: Filters): boolean {
  return Object.entries(filters).some(([name, filter]) => !isArrangement(filter) && values[name]);
}
