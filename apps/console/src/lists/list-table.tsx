import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import classes from './list.module.css';
import type { ListState } from './use-list';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Makes this cell the link of the row. Default: the first cell. It must not contain another link. */
  primary?: boolean;
  align?: 'right';
  /** CSS width. */
  width?: string;
  /**
   * Truncates long content with "…" instead of wrapping it. The column takes two fifths of the table unless
   * `width` is set.
   */
  truncate?: boolean;
  /** Hidden at a width of 390 px. */
  wideOnly?: boolean;
}

interface ListTableProps<Row> {
  list: ListState<Row>;
  label: string;
  columns: Column<Row>[];
  /** Returns the path that a row links to. If omitted, rows are not links. */
  href?: (row: Row) => string;
  /** Adds checkboxes to the rows. Rows for which it returns false cannot be selected. */
  isSelectable?: (row: Row) => boolean;
}

/**
 * Renders a table whose rows are links, so that Ctrl-click opens a new tab. At a width of 390 px, each row is
 * a card.
 */
export function ListTable<Row>(props: ListTableProps<Row>): ReactNode {
  const { list, label, columns, isSelectable } = props;
  const selectable = isSelectable ? list.rows.filter(isSelectable) : [];
  const isAllSelected =
    selectable.length > 0 && selectable.every((row) => list.selected.has(list.rowId(row)));
  return (
    <div className={classes.scroll} aria-busy={list.isStale} data-stale={list.isStale || undefined}>
      {/* Roles are set explicitly, because a table that is displayed as cards would lose them. */}
      <table className={classes.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {isSelectable && (
              <th role="columnheader" className={classes.box}>
                <Checkbox
                  size="xs"
                  aria-label="Select all rows"
                  checked={isAllSelected}
                  indeterminate={!isAllSelected && list.selected.size > 0}
                  disabled={selectable.length === 0}
                  onChange={() => list.select(selectable, !isAllSelected)}
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
          // Prevents a line break between a number or a time and its unit.
          style={{ textAlign: align, whiteSpace: align && 'nowrap' }}
        >
          {to && index === primary ? (
            // A drawer that opens beside the list must not scroll the list.
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
