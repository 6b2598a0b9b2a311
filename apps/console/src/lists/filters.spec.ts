import {
  choiceFilter,
  isFiltered,
  numberFilter,
  sortFilter,
  toQuery,
  parseFilters,
  textFilter,
  timeFilter,
  viewFilter,
  type Filters,
} from './filters';

const filters = {
  q: textFilter('Search'),
  state: choiceFilter('State', { failed: 'Failed' }),
  attempt: numberFilter('Attempt'),
  resolution: viewFilter('Resolution', { waiting: 'Waiting', discarded: 'Discarded' }, 'waiting'),
  time: timeFilter('Time', 'created_after', 'created_before'),
};
const now = Date.UTC(2026, 0, 2);
const read = (search: string) => parseFilters(new URLSearchParams(search), filters, ['tab']);

describe('list filters', () => {
  it('converts the filters in a URL to the API query', () => {
    const { values, filterError } = read('q=%20dlv_1&state=failed&attempt=2&time=24h&tab=x');
    expect(filterError).toBeNull();
    expect(toQuery(values, filters, now, 'utc')).toEqual({
      q: 'dlv_1',
      state: 'failed',
      attempt: '2',
      resolution: 'waiting',
      created_after: '2026-01-01T00:00:00.000Z',
    });
  });

  it('CO-05: never sends a complete key, even if the URL contains one', () => {
    const key = `sk_${'a'.repeat(49)}`;
    expect(toQuery(read(`q=${key}`).values, filters, now, 'utc')['q']).toBe('sk_aaaaa');
  });

  it.each(['state=bogus', 'state=constructor', 'attempt=two', 'time=soon', 'resolution=all', 'stat=failed'])(
    'rejects an invalid filter instead of ignoring it: %s',
    (search) => expect(read(search).filterError).not.toBeNull(),
  );

  it('treats a list as filtered if a filter is set, but ignores the selected tab', () => {
    expect(isFiltered(read('resolution=discarded').values, filters)).toBe(false);
    expect(isFiltered(read('q=x').values, filters)).toBe(true);
  });
});

it('does not count the order as a filter', () => {
  const sorted: Filters = { sort: sortFilter({ created_at: 'Created', state: 'Status' }) };
  const parse = (search: string) => parseFilters(new URLSearchParams(search), sorted, []);
  for (const sort of ['created_at', '-created_at', '-state']) {
    const { values, filterError } = parse(`sort=${sort}`);
    expect(filterError).toBeNull();
    expect(toQuery(values, sorted, 0, 'utc')).toEqual({ sort });
    expect(isFiltered(values, sorted)).toBe(false);
  }
  for (const sort of ['--state', 'id', '-'])
    expect(parse(`sort=${sort}`).filterError).toMatch(/not a valid value/);
});
