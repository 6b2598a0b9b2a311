import { publicId } from '@gatehouse/domain';

// SQL for deleted customers' events. The rows are erased gradually, but readers receive no customer data once the
// customer is deleted.

/** Returns SQL for the condition that an event, an `events` row with this alias, is about a deleted customer. */
export const isErased = (event: string): string =>
  `(${event}.customer_id IS NOT NULL AND NOT EXISTS (SELECT FROM customers c WHERE c.id = ${event}.customer_id))`;

/** Returns SQL for the erased body of an event about a deleted customer: the envelope and the customer's id. */
export const erasedBody = (event: string): string =>
  `format('{"id":"${publicId('event', '%s')}","type":"%s","created_at":"%s","project_id":"%s","organization_id":"%s",'
    || '"data":{"customer":{"id":"%s"}},"erased":true}', ${event}.id, ${event}.type,
    to_char(${event}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ${event}.project_id,
    ${event}.organization_id, ${event}.customer_id)`;

/** Returns SQL for an event's body: the erased body if the event is about a deleted customer. */
export const visibleBody = (event: string): string =>
  `CASE WHEN ${isErased(event)} THEN ${erasedBody(event)} ELSE ${event}.body END`;

/** Returns SQL for an attempt's response body: empty if its event is about a deleted customer. */
export const visibleResponseBody = (attempt: string): string =>
  `CASE WHEN (SELECT ${isErased('e')} FROM events e WHERE e.id = ${attempt}.event_id) THEN ''
    ELSE ${attempt}.response_body END`;
