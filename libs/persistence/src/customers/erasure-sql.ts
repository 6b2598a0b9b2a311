import { publicId } from '@gatehouse/domain';

// SQL about the events of customers who were deleted. Their rows are blanked bit by bit; whoever reads them sees
// nothing of the customer from the moment of the deletion on.

/** Whether an event, a row of `events` under this alias, is about a customer who was deleted. */
export const isErased = (event: string): string =>
  `(${event}.customer_id IS NOT NULL AND NOT EXISTS (SELECT FROM customers k WHERE k.id = ${event}.customer_id))`;

/** What remains of the body of such an event: the envelope, and of the customer the id. */
export const erasedBody = (event: string): string =>
  `format('{"id":"${publicId('event', '%s')}","type":"%s","created_at":"%s","project_id":"%s","organization_id":"%s",'
    || '"data":{"customer":{"id":"%s"}},"erased":true}', ${event}.id, ${event}.type,
    to_char(${event}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ${event}.project_id,
    ${event}.organization_id, ${event}.customer_id)`;

/** The body of an event as it may be shown. */
export const visibleBody = (event: string): string =>
  `CASE WHEN ${isErased(event)} THEN ${erasedBody(event)} ELSE ${event}.body END`;

/** The response body of an attempt as it may be shown. */
export const visibleResponseBody = (attempt: string): string =>
  `CASE WHEN (SELECT ${isErased('e')} FROM events e WHERE e.id = ${attempt}.event_id) THEN ''
    ELSE ${attempt}.response_body END`;
