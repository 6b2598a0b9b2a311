import { Box, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemAlert } from '../components/problem-alert';
import { RelativeTime } from '../components/relative-time';
import classes from './list.module.css';
import type { ListControls } from './use-list';

export interface EmptyContent {
  title: string;
  /** An explanation, for example what to do first, or that no action is needed. */
  text?: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
}

function Notice({ title, text, action }: EmptyContent): ReactNode {
  return (
    <Stack align="center" gap="xs" className={classes.notice}>
      <Title order={2}>{title}</Title>
      {text && (
        <Text c="dimmed" ta="center" maw={460}>
          {text}
        </Text>
      )}
      {action}
    </Stack>
  );
}

/**
 * Renders the notice in place of the rows: the rows are loading, loading failed, no rows match, or there are
 * none yet.
 */
export function ListNotice({ list, empty }: { list: ListControls; empty: EmptyContent }): ReactNode {
  const clearButton = (
    <Button variant="default" size="xs" onClick={list.clear}>
      Clear filters
    </Button>
  );
  if (list.filterError) return <Notice title="Invalid filter" text={list.filterError} action={clearButton} />;
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
    return <Notice title="No results" text="No records match these filters." action={clearButton} />;
  return <Notice {...empty} />;
}

/** Shown if no scanned record matches but older records may match. */
function NoMatchesYet({ list, clearButton }: { list: ListControls; clearButton: ReactNode }): ReactNode {
  const text = 'None of the newest records match these filters. Older records may match.';
  return (
    <Notice
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

/** Shown above the rows of the last successful request if the last request failed. */
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

function RowSkeletons(): ReactNode {
  return (
    <Stack gap={10} p="md" role="status" aria-label="Loading">
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} h={22} w={`${96 - (index % 4) * 9}%`} />
      ))}
    </Stack>
  );
}
