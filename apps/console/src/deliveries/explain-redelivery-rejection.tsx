import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import { RelativeTime } from '../components/relative-time';

export type Delivery = Schemas['OperatorDeliveryResponse'];

/**
 * Returns a sentence that explains why a delivery cannot be redelivered now, or null if it can. The API checks this
 * too.
 */
export function explainRedeliveryRejection(delivery: Delivery, newest: string | null): ReactNode {
  const { endpoint_status: endpoint, state, redelivered_as: next, next_attempt_at: dueAt } = delivery;
  if (state === 'pending') {
    return (
      <>
        This delivery is still pending.{' '}
        {dueAt && (
          <>
            Its next attempt is due <RelativeTime at={dueAt} />.{' '}
          </>
        )}
        It can be redelivered after it has succeeded or failed.
      </>
    );
  }
  if (next) {
    return (
      <>
        This delivery was already redelivered. Only the newest delivery in the redelivery history can be
        redelivered:{' '}
        <Anchor component={Link} to={`/deliveries/${newest ?? next}`}>
          open the newest delivery
        </Anchor>
        .
      </>
    );
  }
  if (isErased(delivery.request.body)) {
    return 'The customer of this event was deleted, so the event has no data to deliver.';
  }
  if (endpoint === 'deleted') {
    return 'The endpoint of this delivery was deleted. Add an endpoint and recover the events that it should receive.';
  }
  return null;
}

/** Returns true if the event's customer was deleted. Only the envelope remains, with `erased` set to true. */
function isErased(body: string): boolean {
  try {
    const event = JSON.parse(body) as { erased?: unknown };
    return event.erased === true;
  } catch {
    return false;
  }
}
