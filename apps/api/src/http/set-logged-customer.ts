import type { GatehouseRequest } from './request-context.js';

/** Adds the customer, if any, to the log line of the request (requirement LG-03). */
export function setLoggedCustomer<Response extends { customer: { id: string } | null }>(
  response: Response,
  request: GatehouseRequest,
): Response {
  if (response.customer) request.customerId = response.customer.id;
  return response;
}
