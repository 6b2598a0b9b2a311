import { Box, Button, Group, Skeleton } from '@mantine/core';
import { use, type ReactNode } from 'react';
import { EmptyState, type EmptyContent } from '../components/empty-state';
import { PageIconContext } from '../components/page-icon';
import { ProblemAlert } from '../components/problem-alert';
import { RelativeTime } from '../components/relative-time';
import classes from './list.module.css';
import type { ListControls } from './use-list';

export type { EmptyContent };

/** Renders the notice that replaces the rows: the rows are loading, loading failed, no rows match, or there are none yet. */
export function ListNotice({ list, empty }: { list: ListControls; empty: EmptyContent }): ReactNode {
  const icon = use(PageIconContext);
  const clearButton = (
    <Button variant="default" size="xs" onClick={list.clear}>
      Clear filters
    </Button>
  );
  if (list.filterError)
    return <EmptyState icon="alert" title="Invalid filter" text={list.filterError} action={clearButton} />;
  if (list.error) {
    return (
      <ProblemAlert error={list.error} onRetry={list.refetch}>
        {list.isFiltered && clearButton}
      </ProblemAlert>
    );
  }
  if (list.isLoading) return <RowSkeletons />;
  if (list.mayHaveMore) return <NoMatchesYet list={list} clearButton={clearButton} />;
  if (list.isFiltered)
    return (
      <EmptyState
        icon="search"
        title="No results"
        text="No records match these filters."
        action={clearButton}
      />
    );
  return <EmptyState icon={icon} {...empty} />;
}

/** Shown if no scanned record matches but older records may match. */
function NoMatchesYet({ list, clearButton }: { list: ListControls; clearButton: ReactNode }): ReactNode {
  const text = 'None of the newest records match these filters. Older records may match.';
  return (
    <EmptyState
      icon="search"
      title="No matches so far"
      text={list.isLive ? `${text} Live updates include only the newest records.` : text}
      action={
        <Group gap="xs">
          {list.hasMore && (
            <Button size="xs" loading={list.isLoadingMore} onClick={list.loadMore}>
              Search older records
            </Button>
          )}
          {clearButton}
        </Group>
      }
    />
  );
}

/** Shown above the rows from the last successful request if the last request failed. */
export function RefreshError({ list }: { list: ListControls }): ReactNode {
  return (
    <Box mb="xs">
      <ProblemAlert
        error={list.error}
        note={
          list.isLoadMoreError ? (
            'More rows could not be loaded.'
          ) : (
            <>
              The rows below may be out of date. Last refreshed{' '}
              <RelativeTime at={new Date(list.updatedAt).toISOString()} />.
            </>
          )
        }
        onRetry={list.isLoadMoreError ? list.loadMore : list.refetch}
      />
    </Box>
  );
}

/** Renders a table's skeleton: its header and rows. */
function RowSkeletons(): ReactNode {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: 9 }, (_, row) => (
        <div key={row} className={classes.skeletonRow}>
          {[55, 80, 65, 90, 40].map((width, column) => (
            <Skeleton key={column} h={10} w={`${width - ((row * 7) % 20)}%`} />
          ))}
        </div>
      ))}
    </div>
  );
}
