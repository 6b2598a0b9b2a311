import type { Fixtures, Page, PlaywrightTestArgs, PlaywrightTestOptions } from '@playwright/test';
import type {
  AuthResponse,
  Customer,
  CustomerFields,
  SignInTokenOptions,
  TestClient,
} from './test-client.js';

/** The storage of a @gatehouse/js client. */
interface ItemStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * The type of `createClient` from @gatehouse/js. The function is passed as an argument, so that the session is stored
 * in the format of the version that the application uses.
 */
export type CreateClient = (options: {
  url: string;
  publishableKey: string;
  storage: ItemStorage;
  fetch: typeof fetch;
}) => { signIn: { emailCode(proof: { token: string; code: string }): Promise<{ status: string }> } };

export interface SignInPageOptions extends SignInTokenOptions {
  testClient: TestClient;
  /** `createClient` from @gatehouse/js. */
  createClient: CreateClient;
  /** Id of the customer. */
  customerId: string;
  /** A URL in the application. The session is stored for its origin. */
  pageUrl: string;
}

export interface CustomerFixtureOptions extends SignInTokenOptions {
  testClient: TestClient;
  /** `createClient` from @gatehouse/js. */
  createClient: CreateClient;
  /** The fields for each customer, as for `createCustomer`. */
  fields?: CustomerFields;
}

/**
 * Signs a customer in to the application in a page's browser context, by storing a session in the application's
 * localStorage. Open or reload the application afterwards.
 * @throws Error if the sign-in requires another step, such as a second factor
 */
export async function signInPage(page: Page, options: SignInPageOptions): Promise<void> {
  const { testClient, createClient, customerId, pageUrl, ...tokenOptions } = options;
  const session = await testClient.signInAs(customerId, tokenOptions);
  const items = await storeSession(session, testClient, createClient);
  const { origin } = new URL(pageUrl);
  // Uses an empty page, because the application's code could overwrite the session.
  const blank = await page.context().newPage();
  try {
    await blank.route(`${origin}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await blank.goto(`${origin}/`);
    await blank.evaluate((entries) => {
      for (const [key, value] of entries) localStorage.setItem(key, value);
    }, items);
  } finally {
    await blank.close();
  }
}

/** Returns the storage items in which @gatehouse/js stores a session. */
async function storeSession(
  session: AuthResponse,
  { url, publishableKey }: TestClient,
  createClient: CreateClient,
): Promise<[string, string][]> {
  const items = new Map<string, string>();
  const client = createClient({
    url,
    publishableKey,
    storage: {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
    },
    // Returns the response of the sign-in above, because all sign-in methods have the same response.
    fetch: () => Promise.resolve(Response.json(session)),
  });
  const { status } = await client.signIn.emailCode({ token: '', code: '' });
  if (status !== 'complete') throw new Error(`The customer's sign-in is not complete: ${status}`);
  return [...items];
}

/**
 * Returns fixtures for Playwright's `test.extend`. `customer` is a new customer who is signed in to the application at
 * `baseURL` before the test, and deleted after it.
 */
export function customerFixtures({
  testClient,
  createClient,
  fields,
  ...tokenOptions
}: CustomerFixtureOptions): Fixtures<
  { customer: Customer },
  object,
  PlaywrightTestArgs & PlaywrightTestOptions
> {
  return {
    customer: async ({ page, baseURL }, use) => {
      if (!baseURL)
        throw new Error('The fixture "customer" requires baseURL in the Playwright configuration');
      const customer = await testClient.createCustomer(fields);
      try {
        const target = { customerId: customer.id, pageUrl: baseURL };
        await signInPage(page, { testClient, createClient, ...target, ...tokenOptions });
        await use(customer);
      } finally {
        await testClient.deleteCustomers([customer.id]);
      }
    },
  };
}
