import { Checkbox, UnstyledButton } from '@mantine/core';
import { memo, useCallback, useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { Icon } from '../components/icon';
import { nextSort, primaryColumn, type Column } from './columns';
import classes from './list.module.css';
import { useRowFocus } from './use-row-focus';
import type { ListState } from './use-list';

export type { Column };

/** Allows every row in a list to be selected. */
export const isAlwaysSelectable = (): boolean => true;

interface ListTableProps<Row> {
  list: ListState<Row>;
  label: string;
  /** The visible columns. */
  columns: Column<Row>[];
  /** Returns the path that a row links to. If omitted, rows are not links. */
  href?: (row: Row) => string;
  /** Adds checkboxes to the rows. Returns false for rows that cannot be selected. */
  isSelectable?: (row: Row) => boolean;
}

/**
 * Renders a table whose rows are links, so that Ctrl-click opens a new tab. At a width of 390 px, each row has
 * two lines.
 */
export function ListTable<Row>(props: ListTableProps<Row>): ReactNode {
  const { list, label, columns, href, isSelectable } = props;
  const { pathname } = useLocation();
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  });
  const select = useCallback((row: Row, isSelected: boolean) => latest.current.select([row], isSelected), []);
  const open = useRowFocus();
  const isComplete = list.count !== null && !list.count.isMore;
  return (
    <div className={classes.scroll} aria-busy={list.isStale} data-stale={list.isStale || undefined}>
      {/* Roles are set explicitly, because a table that is displayed as cards would lose them. */}
      <table
        className={classes.table}
        role="table"
        aria-label={label}
        // Includes the header and the rows that are not loaded; -1 if the number is unknown.
        aria-rowcount={isComplete ? list.count!.count + 1 : -1}
      >
        <ListHead {...props} />
        <tbody role="rowgroup">
          {list.rows.map((row, index) => {
            const id = list.rowId(row);
            const to = href?.(row);
            return (
              <ListRow
                key={id}
                id={id}
                row={row}
                // The header is the first row.
                index={index + 2}
                columns={columns as Column<unknown>[]}
                to={to}
                // A drawer that opens beside the list must not scroll the list.
                isDrawer={to?.startsWith(`${pathname}?`) ?? false}
                selection={isSelectable && (isSelectable(row) ? list.selected.has(id) : null)}
                select={select as (row: unknown, isSelected: boolean) => void}
                onOpen={open}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function ListHead<Row>({ list, columns, isSelectable }: ListTableProps<Row>): ReactNode {
  const selectable = isSelectable ? list.rows.filter(isSelectable) : [];
  const isAllSelected =
    selectable.length > 0 && selectable.every((row) => list.selected.has(list.rowId(row)));
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
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
        {columns.map(({ header, align, width, truncate, wideOnly, sort }) => (
          <th
            key={header}
            role="columnheader"
            scope="col"
            aria-sort={sort && list.filters['sort'] ? ariaSort(sort, list.values['sort']) : undefined}
            style={{ textAlign: align, width: width ?? (truncate ? '40%' : undefined) }}
            data-wide={wideOnly || undefined}
          >
            {sort && list.filters['sort'] ? <SortButton list={list} header={header} field={sort} /> : header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const ariaSort = (field: string, sort: string | undefined): 'ascending' | 'descending' | 'none' =>
  sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none';

interface SortButtonProps {
  list: Pick<ListState<never>, 'values' | 'setValue'>;
  header: string;
  field: string;
}

function SortButton({ list: { values, setValue }, header, field }: SortButtonProps): ReactNode {
  const sort = values['sort'] ?? '';
  const direction = ariaSort(field, sort);
  return (
    <UnstyledButton
      className={classes.sortButton}
      data-sorted={direction !== 'none' || undefined}
      onClick={() => setValue('sort', nextSort(field, sort))}
    >
      {header}
      <Icon name={direction === 'ascending' ? 'arrow-up' : 'arrow-down'} size={12} />
    </UnstyledButton>
  );
}

interface ListRowProps {
  id: string;
  row: unknown;
  index: number;
  columns: Column<unknown>[];
  to: string | undefined;
  isDrawer: boolean;
  /** True if the row is selected; null if it cannot be selected, undefined if no row can. */
  selection: boolean | null | undefined;
  select: (row: unknown, isSelected: boolean) => void;
  onOpen: (id: string, to: string) => void;
}

/** Renders a row. Memoized, because a list can have thousands of rows. */
const ListRow = memo(function ListRow(props: ListRowProps): ReactNode {
  const { id, row, index, columns, to, isDrawer, selection, select, onOpen } = props;
  const primary = primaryColumn(columns);
  return (
    <tr
      role="row"
      aria-rowindex={index}
      data-row={id}
      data-selected={selection || undefined}
      data-link={to ? true : undefined}
    >
      {selection !== undefined && (
        <td role="cell" className={classes.box}>
          <Checkbox
            size="xs"
            aria-label={`Select ${id}`}
            checked={selection ?? false}
            disabled={selection === null}
            onChange={(event) => select(row, event.currentTarget.checked)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.header}
          role="cell"
          data-label={column.header}
          data-primary={column === primary || undefined}
          data-status={column.status || undefined}
          data-wide={column.wideOnly || undefined}
          data-truncate={column.truncate || undefined}
          data-right={column.align === 'right' || undefined}
        >
          {to !== undefined && column === primary ? (
            <Link
              to={to}
              className={classes.link}
              preventScrollReset={isDrawer}
              onClick={isDrawer ? undefined : () => onOpen(id, to)}
              data-row-link
            >
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
});
