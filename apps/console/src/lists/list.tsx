import { Button, Group, Paper, Text } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { formatCappedCount } from '../components/format-capped-count';
import { Icon } from '../components/icon';
import { visibleColumns } from './columns';
import { FilterBar } from './filter-bar';
import { ListDisplay } from './list-display';
import { ListNotice, RefreshError, type EmptyContent } from './list-notice';
import { ListTable, type Column } from './list-table';
import classes from './list.module.css';
import { SavedViews } from './saved-views';
import type { Count, ListControls, ListState } from './use-list';

interface ListProps<Row> {
  list: ListState<Row>;
  /** The plural name for the records: "deliveries". */
  noun: string;
  columns: Column<Row>[];
  href?: (row: Row) => string;
  /** Shown if there are no records and no filter is set. */
  empty: EmptyContent;
  isSelectable?: (row: Row) => boolean;
  /** Buttons for the selected rows. `done` clears the selection. */
  actions?: (rows: Row[], done: () => void) => ReactNode;
  /** Buttons beside the count, such as "Redeliver all matching". */
  toolbar?: ReactNode;
  /** Shows the button for live updates. */
  live?: boolean;
}

/** Renders a list in the console: filters, count, rows, notices and the selection. */
export function List<Row>(props: ListProps<Row>): ReactNode {
  const { list, noun, columns, href, empty, isSelectable, actions, toolbar, live } = props;
  const hasRows = list.rows.length > 0 && !list.filterError;
  const shown = useMemo(() => visibleColumns(columns, list.columnChanges), [columns, list.columnChanges]);
  const selected = [...list.selected.values()];
  const isToolbarEmpty = !hasRows && !list.isLoading && !toolbar && !live && !list.name;
  return (
    <>
      {list.name && <SavedViews list={list} name={list.name} />}
      <FilterBar list={list} />
      <div className={classes.tools} data-empty={isToolbarEmpty || undefined}>
        <Text c="dimmed" aria-live="polite" style={{ flex: 1 }}>
          {hasRows || (list.mayHaveMore && list.count?.count) ? formatCount(list.count, noun) : null}
        </Text>
        {toolbar}
        {live && <LiveToggle list={list} />}
        {list.name && <ListDisplay list={list} columns={columns} />}
      </div>
      {hasRows && list.error && <RefreshError list={list} />}
      <Paper p={0} className={classes.paper}>
        {hasRows ? (
          <ListTable list={list} label={noun} columns={shown} href={href} isSelectable={isSelectable} />
        ) : (
          <ListNotice list={list} empty={empty} />
        )}
      </Paper>
      {list.hasMore && hasRows && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </Group>
      )}
      {actions && selected.length > 0 && (
        <div className={classes.selection} role="region" aria-label="Selected rows">
          <Text fw={600}>{selected.length} selected</Text>
          {actions(selected, () => list.select(selected, false))}
          <Button variant="subtle" size="xs" onClick={() => list.select(selected, false)}>
            Clear selection
          </Button>
        </div>
      )}
    </>
  );
}

/** Formats a count as "1,234 deliveries" or "10,000+ deliveries". */
export function formatCount(count: Count | null, noun: string): string {
  if (!count) return '';
  const name = count.count === 1 && !count.isMore ? toSingular(noun) : noun;
  return `${formatCappedCount(count.count, count.isMore)} ${name}`;
}

const toSingular = (noun: string): string =>
  noun
    .replace(/ies$/, 'y')
    .replace(/(tch|ss)es$/, '$1')
    .replace(/s$/, '');

function LiveToggle({ list }: { list: ListControls }): ReactNode {
  const isPaused = list.isLive && list.selected.size > 0;
  return (
    <Button
      variant={list.isLive ? 'light' : 'default'}
      size="xs"
      aria-pressed={list.isLive}
      leftSection={<Icon name={list.isLive && !isPaused ? 'pause' : 'play'} size={14} />}
      onClick={() => list.setLive(!list.isLive)}
    >
      {isPaused ? 'Live, paused while rows are selected' : 'Live'}
    </Button>
  );
}
