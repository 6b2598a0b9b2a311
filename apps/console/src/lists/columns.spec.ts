import { columnId, hideableColumns, nextSort, toggleColumn, visibleColumns } from './columns';

const columns = [
  { header: 'Status' },
  { header: 'Event', primary: true },
  { header: 'Last sign-in' },
  { header: 'Customer', id: 'customer', hidden: true },
  { header: 'Action', hideable: false },
];
const headers = (changes: string[]): string[] => visibleColumns(columns, changes).map(({ header }) => header);

describe('list columns', () => {
  it('derives ids that do not depend on the column order', () => {
    expect(columns.map(columnId)).toEqual(['status', 'event', 'last-sign-in', 'customer', 'action']);
  });

  it("shows and hides columns, except the row's link and the actions", () => {
    expect(hideableColumns(columns).map(columnId)).toEqual(['status', 'last-sign-in', 'customer']);
    expect(headers([])).toEqual(['Status', 'Event', 'Last sign-in', 'Action']);
    expect(headers(['-status', 'customer'])).toEqual(['Event', 'Last sign-in', 'Customer', 'Action']);
    expect(headers(['-event', '-action', 'status', '-customer'])).toEqual(headers([]));
  });

  it('restores the default when a column is toggled twice, and keeps unknown entries', () => {
    for (const column of columns.slice(2, 4)) {
      const changes = toggleColumn(column, ['-other']);
      expect(changes).toHaveLength(2);
      expect(toggleColumn(column, changes)).toEqual(['-other']);
    }
  });

  it('sorts descending, ascending and by default', () => {
    const orders = ['', '-created_at', 'created_at'].map((sort) => nextSort('created_at', sort));
    expect(orders).toEqual(['-created_at', 'created_at', '']);
    expect(nextSort('state', '-created_at')).toBe('-state');
  });
});
