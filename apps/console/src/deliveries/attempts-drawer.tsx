import { Button, Drawer, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useGet } from '../http/queries';
import { Id } from '../components/id';
import { QueryContent } from '../components/query-content';
import { DeliveryTimeline } from './delivery-timeline';

interface AttemptsDrawerProps {
  /** The delivery's ID; null if the drawer is closed. */
  id: string | null;
  onClose: () => void;
}

/** Renders a delivery's attempts in a drawer beside the list. */
export function AttemptsDrawer({ id, onClose }: AttemptsDrawerProps): ReactNode {
  const query = useGet(
    '/operator/v1/webhooks/deliveries/{deliveryId}',
    { path: { deliveryId: id ?? '' } },
    { enabled: id !== null },
  );
  return (
    <Drawer opened={id !== null} onClose={onClose} position="right" size="lg" title="Attempts">
      {id !== null && (
        <Stack>
          <Group justify="space-between">
            <Id id={id} />
            <Button component={Link} to={`/deliveries/${id}`} variant="default" size="xs">
              Open delivery
            </Button>
          </Group>
          <QueryContent query={query}>{({ data }) => <DeliveryTimeline delivery={data} />}</QueryContent>
        </Stack>
      )}
    </Drawer>
  );
}
