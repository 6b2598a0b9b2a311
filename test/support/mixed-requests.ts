import type { RegisteredCustomer } from './customers.js';
import type { TestResponse, TestInstance } from './test-instance.js';
import { uniqueEmail } from './unique-email.js';

/**
 * Reading and writing, in turns: what a customer asks, what a server asks, sessions that go on. None of it hashes a
 * password, which a busy machine may refuse to do with 503 `overloaded`.
 */
export function mixedRequests(
  instance: TestInstance,
  customer: RegisteredCustomer,
): (count: number) => Promise<TestResponse> {
  let { refreshToken } = customer.tokens;
  let isRefreshing = false;
  const me = () => instance.requestWithAccessToken(customer.tokens.accessToken, 'GET', '/api/v1/me');
  // One after the other, as a client does. After no answer the same token is good once more.
  const refresh = async () => {
    if (isRefreshing) return me();
    isRefreshing = true;
    try {
      const answer = await instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } });
      if (answer.status === 200) ({ refreshToken } = answer.body.tokens);
      return answer;
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
