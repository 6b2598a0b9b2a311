import type { HouseRequest } from '../http/request-context.js';
import type { AuthResponse } from './dto/auth.response.js';

/** Names the customer in the log line of the request (requirement LG-03). */
export function logged(answer: AuthResponse, request: HouseRequest): AuthResponse {
  request.customerId = answer.customer.id;
  return answer;
}
