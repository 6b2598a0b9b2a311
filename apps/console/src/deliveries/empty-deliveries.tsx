import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { EmptyContent } from '../lists/list-notice';

/** Shown if there are no deliveries and no filter is set. */
export const emptyDeliveries: EmptyContent = {
  title: 'No deliveries yet',
  text: 'Deliveries start when an event occurs that an enabled endpoint subscribes to. To try it, send a test event.',
  action: (
    <Button component={Link} to="/endpoints" variant="default" size="xs">
      Go to endpoints
    </Button>
  ),
};
