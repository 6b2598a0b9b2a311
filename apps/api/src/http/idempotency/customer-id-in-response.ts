import { CUSTOM_EVENT_PREFIX } from '@gatehouse/domain';

/** The response members that may identify one customer. */
interface CustomerResponseBody {
  id?: unknown;
  email?: unknown;
  customer?: { id?: unknown };
  data?: { request?: { body?: string } };
}

/**
 * Returns the customer id in a response, so that the stored response can be erased with the customer. The response is a
 * customer, contains one, or is a delivery whose event contains one.
 */
export function customerIdInResponse(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const { id, email, customer, data } = body as CustomerResponseBody;
  const sent = data?.request?.body;
  if (sent) {
    const event = JSON.parse(sent) as { type?: string; data: unknown };
    // A custom event's data may contain anything under these names.
    return event.type?.startsWith(CUSTOM_EVENT_PREFIX) ? null : customerIdInResponse(event.data);
  }
  const customerId = customer ? customer.id : email === undefined ? null : id;
  return typeof customerId === 'string' ? customerId : null;
}
