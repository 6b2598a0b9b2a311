import { Alert, Box, Button, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Problem } from '../http/problem';
import { Icon } from './icon';
import { useBackLink, type BackLink } from './page';
import { ProblemAlert } from './problem-alert';

interface QueryContentProps<T> {
  query: UseQueryResult<T, Problem>;
  /** Shown while the query loads. Default: a card with names and values. */
  skeleton?: ReactNode;
  children: (data: NonNullable<T>) => ReactNode;
}

/**
 * Renders a query's result. Until it is loaded, renders a skeleton. If the query fails, renders the error with "Try
 * again", or a link to the list if the record does not exist. If only a reload fails, the error is shown above the last
 * result.
 */
export function QueryContent<T>({ query, skeleton, children }: QueryContentProps<T>): ReactNode {
  const back = useBackLink();
  const alert = query.error && <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data !== undefined && query.data !== null) {
    return (
      <>
        {alert && <Box mb="md">{alert}</Box>}
        {children(query.data)}
      </>
    );
  }
  if (back && query.error?.code === 'not_found') return <RecordNotFound back={back} />;
  if (alert) return alert;
  return (
    <div role="status" aria-label="Loading">
      {skeleton ?? <PropertiesSkeleton />}
    </div>
  );
}

/** Renders a card outline with names and values. */
function PropertiesSkeleton(): ReactNode {
  return (
    <Paper>
      <Skeleton h={16} w="10rem" mb="lg" />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index}>
            <Skeleton h={8} w="5rem" mb={10} />
            <Skeleton h={12} w={index % 2 === 0 ? '75%' : '50%'} />
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}

/** Shown if a link's record was deleted or the link was truncated. */
function RecordNotFound({ back }: { back: BackLink }): ReactNode {
  return (
    <Alert role="alert" color="gray" icon={<Icon name="info" size={20} />} title="Not found">
      <Text>This record does not exist or was deleted. Check that the link is complete.</Text>
      <Button component={Link} to={back.to} size="xs" variant="default" mt="sm">
        Go to {back.label.toLowerCase()}
      </Button>
    </Alert>
  );
}
