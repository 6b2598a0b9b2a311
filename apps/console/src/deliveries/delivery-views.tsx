import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';

const views = {
  deliveries: { path: '/deliveries', label: 'Deliveries' },
  attempts: { path: '/deliveries/attempts', label: 'Attempts' },
} as const;

type View = keyof typeof views;

/** The filters that both lists have. */
const SHARED_FILTERS = [
  ...['q', 'time', 'status_class', 'http_status', 'error', 'event', 'organization_id', 'project_id'],
  ...['endpoint_id', 'event_id', 'customer_id', 'batch_id'],
];

/** Renders links to the delivery list and the attempt list. The links keep the filters that both lists have. */
export function DeliveryViews({ current }: { current: View }): ReactNode {
  const [search] = useSearchParams();
  const shared = new URLSearchParams(
    [...search].filter(([name]) => SHARED_FILTERS.includes(name)),
  ).toString();
  return (
    <Group component="nav" aria-label="Views" gap="xs" mb="sm">
      {(Object.keys(views) as View[]).map((view) => (
        <Button
          key={view}
          component={Link}
          to={{ pathname: views[view].path, search: shared }}
          size="xs"
          variant={view === current ? 'light' : 'subtle'}
          aria-current={view === current ? 'page' : undefined}
        >
          {views[view].label}
        </Button>
      ))}
    </Group>
  );
}
