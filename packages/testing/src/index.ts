export {
  createTestClient,
  TestClientError,
  type AuthResponse,
  type Customer,
  type CustomerFields,
  type SignInTokenOptions,
  type TestClient,
  type TestClientOptions,
} from './test-client.js';
