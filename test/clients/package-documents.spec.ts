import { DocumentFolder } from '../support/document-folder.js';
import { checkCodeBlocks } from '../support/packages/check-code-blocks.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** Declarations that a document's code blocks use but do not contain. */
const ENVIRONMENTS: Record<string, string> = {
  'packages/js/README.md': `
    declare const gatehouse: import('@gatehouse/js').Client;
    declare const email: string, password: string, code: string, token: string;
    declare const order: { items: string[] };

    declare module '@react-native-async-storage/async-storage' {
      const storage: {
        getItem(key: string): Promise<string | null>;
        setItem(key: string, value: string): Promise<void>;
        removeItem(key: string): Promise<void>;
      };
      export default storage;
    }
    declare module 'expo-crypto' {
      export function getRandomValues<T extends Uint8Array>(array: T): T;
    }
    declare module 'expo-web-browser' {
      type Result = { type: 'success'; url: string } | { type: 'cancel' | 'dismiss' };
      export function openAuthSessionAsync(url: string, redirectUrl?: string): Promise<Result>;
    }`,
  'packages/server/README.md': `
    declare const token: string, customerId: string, email: string, password: string;
    declare const req: import('express').Request;`,
  'packages/testing/README.md': '',
  'docs/hosted-sign-in.md': `
    declare const gatehouse: import('@gatehouse/js').Client;`,
};

it.each(Object.entries(ENVIRONMENTS))('all code blocks in %s compile', async (document, environment) => {
  const { count, errors } = await checkCodeBlocks(document, environment);
  expect(errors).toBe('');
  expect(count).toBeGreaterThan(1);
});

it('the block customers.mjs in packages/server/README.md runs', async () => {
  const { projectId, projectSecretKey } = instance.credentials;
  const email = uniqueEmail();
  const folder = await DocumentFolder.create('packages/server/README.md', {
    env: {
      GATEHOUSE_URL: instance.baseUrl,
      GATEHOUSE_PROJECT_ID: projectId,
      GATEHOUSE_SECRET_KEY: projectSecretKey,
    },
    replace: { 'ada@example.com': email },
  });
  try {
    expect((await folder.run('node customers.mjs')).split('\n')).toContain(email);
  } finally {
    await folder.close();
  }
  const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers?email=${email}`);
  expect(body.data).toMatchObject([{ publicMetadata: { plan: 'gold' } }]);
});
