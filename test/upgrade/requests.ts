import type { TestInstance } from '../support/test-instance.js';
import type { ProjectKeys } from './manifest.js';

/** Sends a request with a secret key or an access token. @throws Error unless it succeeds */
export async function send(
  instance: TestInstance,
  credential: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, any>> {
  const response = await instance.requestWithBearer(credential, method, path, body);
  if (response.status < 300) return response.body as Record<string, any>;
  throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
}

/** Returns the instance with another project's keys as its credentials. */
export function inProject(instance: TestInstance, keys: ProjectKeys): TestInstance {
  const { organizationId, projectId, secretKey, publishableKey } = keys;
  const credentials = {
    ...instance.credentials,
    ...{ organizationId, projectId, secretKey, projectSecretKey: secretKey, publishableKey },
  };
  return Object.assign(Object.create(instance) as TestInstance, { credentials });
}
