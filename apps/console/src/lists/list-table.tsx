import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import classes from './list.module.css';
import type { ListState } from './use-list';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** The cell that holds the row's link; the first one by default. It must hold no other link. */
  primary?: boolean;
  align?: 'right';
  /** CSS width. */
  width?: string;
  /** Cuts what is long with "…" in place of breaking it; two fifths of the table unless `width` says otherwise. */
  truncate?: boolean;
  /** Left out at 390 px. */
  wideOnly?: boolean;
}

interface ListTableProps<Row> {
  list: ListState<Row>;
  label: string;
  columns: Column<Row>[];
  /** Where a row leads; without it rows are no links. */
  href?: (row: Row) => string;
  /** Rows have boxes; one for which it is false cannot be ticked. */
  isSelectable?: (row: Row) => boolean;
}

/** Rows that are real links: a click opens one, Ctrl-click a tab. At 390 px each is a card. */
export function ListTable<Row>(props: ListTableProps<Row>): ReactNode {
  const { list, label, columns, isSelectable } = props;
  const selectable = isSelectable ? list.rows.filter(isSelectable) : [];
  const isAll = selectable.length > 0 && selectable.every((row) => list.selected.has(list.rowId(row)));
  return (
    <div className={classes.scroll} aria-busy={list.isStale} data-stale={list.isStale || undefined}>
      {/* The roles are said again: a table that is laid out as cards would lose them. */}
      <table className={classes.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {isSelectable && (
              <th role="columnheader" className={classes.box}>
                <Checkbox
                  size="xs"
                  aria-label="Select all rows"
                  checked={isAll}
                  indeterminate={!isAll && list.selected.size > 0}
                  disabled={selectable.length === 0}
                  onChange={() => list.select(selectable, !isAll)}
                />
              </th>
            )}
            {columns.map(({ header, align, width, truncate, wideOnly }) => (
              <th
                key={header}
                role="columnheader"
                scope="col"
                style={{ textAlign: align, width: width ?? (truncate ? '40%' : undefined) }}
                data-wide={wideOnly || undefined}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {list.rows.map((row) => (
            <ListRow key={list.rowId(row)} {...props} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ListRow<Row>({
  list,
  columns,
  href,
  isSelectable,
  row,
}: ListTableProps<Row> & { row: Row }): ReactNode {
  const id = list.rowId(row);
  const to = href?.(row);
  const { pathname } = useLocation();
  const isSelected = list.selected.has(id);
  const primary = Math.max(
    0,
    columns.findIndex((column) => column.primary),
  );
  return (
    <tr role="row" data-selected={isSelected || undefined} data-link={to ? true : undefined}>
      {isSelectable && (
        <td role="cell" className={classes.box}>
          <Checkbox
            size="xs"
            aria-label={`Select ${id}`}
            checked={isSelected}
            disabled={!isSelectable(row)}
            onChange={(event) => list.select([row], event.currentTarget.checked)}
          />
        </td>
      )}
      {columns.map(({ header, cell, align, truncate, wideOnly }, index) => (
        <td
          key={header}
          role="cell"
          data-label={header}
          data-wide={wideOnly || undefined}
          data-truncate={truncate || undefined}
          // Numbers and times: a unit on a line of its own reads badly.
          style={{ textAlign: align, whiteSpace: align && 'nowrap' }}
        >
          {to && index === primary ? (
            // What opens beside the list must not move it.
            <Link
              to={to}
              className={classes.link}
              preventScrollReset={to.startsWith(`${pathname}?`)}
              data-row-link
            >
              {cell(row)}
            </Link>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}
