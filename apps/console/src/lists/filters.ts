import { parseTimeRange } from '../parts/time-range';
import { redactSecrets } from '../parts/redact-secrets';

interface Labeled {
  label: string;
}

/** One thing by which a list is narrowed. Its name in the URL is its key in `Filters`. */
export type Filter = Labeled &
  (
    | { kind: 'text'; placeholder?: string; pattern?: RegExp }
    | { kind: 'number'; placeholder?: string }
    | { kind: 'choice'; options: Record<string, string> }
    | { kind: 'view'; options: Record<string, string>; fallback: string }
    | { kind: 'project' | 'endpoint' | 'organization' }
    | { kind: 'event-type'; groups: boolean }
    | { kind: 'time'; after: string; before?: string }
  );

/** The key is the name in the URL and, but for times, the parameter of the API. */
export type Filters = Record<string, Filter>;

/** What the filters are set to; "" is not set. */
export type FilterValues = Record<string, string>;

/** What the API is asked with. */
export type ListQuery = Record<string, string>;

/**
 * Typed in: a delivery, an e-mail, part of a name. The first of these is where "/" leads.
 * @param pattern what the API would refuse if it were otherwise: half an id, say
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

/** One of a few: values of the API, and how they are called here. */
export const choiceFilter = (label: string, options: Record<string, string>): Filter => ({
  kind: 'choice',
  label,
  options,
});

/** Answers by the class of their HTTP status. */
export const statusClassFilter = (label: string): Filter =>
  choiceFilter(label, { '2xx': '2xx', '3xx': '3xx', '4xx': '4xx', '5xx': '5xx', none: 'No response' });

/** Tabs above the list, of which one always holds; `fallback` without a word in the URL. */
export const viewFilter = (label: string, options: Record<string, string>, fallback: string): Filter => ({
  kind: 'view',
  label,
  options,
  fallback,
});

export const projectFilter = (): Filter => ({ kind: 'project', label: 'Project' });
export const endpointFilter = (): Filter => ({ kind: 'endpoint', label: 'Endpoint' });
export const organizationFilter = (): Filter => ({ kind: 'organization', label: 'Organization' });

/** @param groups whether `customer.*`, which is all of a noun, can be chosen too */
export const eventTypeFilter = (groups = false): Filter => ({
  kind: 'event-type',
  label: 'Event type',
  groups,
});

/** A preset or two moments. @param after the parameter for its begin @param before for its end */
export const timeFilter = (label: string, after: string, before?: string): Filter => ({
  kind: 'time',
  label,
  after,
  before,
});

/**
 * Reads the filters in a URL. `fault` says what cannot be understood: a list that dropped it would show more than was
 * asked for.
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
  const faulty = Object.entries(filters).find(([name, filter]) => !isValidValue(filter, values[name] ?? ''));
  if (faulty)
    return {
      values,
      filterError: `“${values[faulty[0]]}” is not a valid value for the filter ${faulty[1].label}.`,
    };
  const stray = [...search.keys()].find((name) => !(name in filters) && !otherParams.includes(name));
  return { values, filterError: stray === undefined ? null : `Unknown filter “${stray}”.` };
}

function isValidValue(filter: Filter, value: string): boolean {
  if (value === '') return true;
  if (filter.kind === 'text') return filter.pattern?.test(value.trim()) ?? true;
  if (filter.kind === 'number') return /^\d{1,9}$/.test(value);
  if (filter.kind === 'choice' || filter.kind === 'view') return Object.hasOwn(filter.options, value);
  if (filter.kind !== 'time') return true;
  const bounds = parseTimeRange(value, 0);
  return bounds !== null && !(bounds.before && !filter.before);
}

/** The parameters of the API for values that are understood. @param now ms since 1970 */
export function toQuery(values: FilterValues, filters: Filters, now: number): ListQuery {
  const query: ListQuery = {};
  for (const [name, filter] of Object.entries(filters)) {
    const value = values[name];
    if (!value) continue;
    if (filter.kind !== 'time') query[name] = redactSecrets(value.trim());
    else {
      const { after, before } = parseTimeRange(value, now) ?? {};
      if (after) query[filter.after] = after;
      if (before && filter.before) query[filter.before] = before;
    }
  }
  return query;
}

/** Whether somebody narrowed the list; its tabs do not count. */
export function isFiltered(values: FilterValues, filters: Filters): boolean {
  return Object.entries(filters).some(([name, { kind }]) => kind !== 'view' && values[name]);
}
