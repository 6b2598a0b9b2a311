import type { RegisteredCustomer } from './customers.js';
import type { TestResponse, TestInstance } from './test-instance.js';
import { uniqueEmail } from './unique-email.js';

/**
 * Returns a function that sends reads and writes in turn: a customer's requests, requests from a server and session
 * refreshes. None of them hashes a password, because a busy machine may reject that with 503 `overloaded`.
 */
export function mixedRequests(
  instance: TestInstance,
  customer: RegisteredCustomer,
): (count: number) => Promise<TestResponse> {
  let { refreshToken } = customer.tokens;
  let isRefreshing = false;
  const me = () => instance.requestWithAccessToken(customer.tokens.accessToken, 'GET', '/api/v1/me');
  // Refreshes run one at a time, as in a real client. If a response is lost, its token can be used once more.
  const refresh = async () => {
    if (isRefreshing) return me();
    isRefreshing = true;
    try {
      const response = await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } });
      if (response.status === 200) ({ refreshToken } = response.body.tokens);
      return response;
    } finally {
      isRefreshing = false;
    }
  };
  const create = () => instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uniqueEmail() });
  const kinds = [
    me,
    create,
    () => instance.requestWithSecretKey('GET', '/v1/webhooks/deliveries?limit=5'),
    refresh,
    create,
  ];
  return (count) => kinds[count % kinds.length]!();
}
