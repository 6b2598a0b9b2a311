import { Alert, Skeleton, Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Icon } from '../components/icon';
import { QueryContent } from '../components/query-content';
import classes from './overview.module.css';

type Query<Data> = ComponentProps<typeof QueryContent<Data>>['query'];

interface OverviewContentProps<Data> {
  query: Query<Data>;
  children: (data: Data) => ReactNode;
}

/** Renders metrics. If the operator can access too many projects to add up, renders a notice to select one. */
export function OverviewContent<Data>({ query, children }: OverviewContentProps<Data>): ReactNode {
  if (query.error?.fields.projectId)
    return (
      <Alert color="gray" icon={<Icon name="info" size={18} />} title="Select a project">
        Your organizations have too many projects to add up their metrics. Select a project above.
      </Alert>
    );
  return (
    <QueryContent query={query} skeleton={<OverviewSkeleton />}>
      {children}
    </QueryContent>
  );
}

function OverviewSkeleton(): ReactNode {
  return (
    <Stack gap="sm">
      <div className={classes.metrics}>
        {Array.from({ length: 5 }, (_, index) => (
          <Skeleton key={index} h={92} radius="md" />
        ))}
      </div>
      <Skeleton h={260} radius="md" />
      <div className={classes.grid}>
        <Skeleton h={180} radius="md" />
        <Skeleton h={180} radius="md" />
      </div>
    </Stack>
  );
}
