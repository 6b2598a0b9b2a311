import type { GatehouseRequest } from '../http/request-context.js';
import type { AuthResponse } from './dto/auth.response.js';

/** Adds the customer to the log line of the request (requirement LG-03). */
export function setLoggedCustomer(response: AuthResponse, request: GatehouseRequest): AuthResponse {
  request.customerId = response.customer.id;
  return response;
}
