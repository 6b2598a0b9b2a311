import fc from 'fast-check';
import { fetchDocumented } from './fetch-documented.js';
import {
  createPool,
  listOperations,
  requestArbitrary,
  type Operation,
  type GeneratedRequest,
} from './generated-requests.js';
import type { TestInstance } from './test-instance.js';

/** Every run's seed, so that failures are reproducible. INPUT_SEED overrides it. */
const seed = Number(process.env['INPUT_SEED'] ?? 20_261_121);

/**
 * Operations that need secrets from earlier operations, in a fixed order. Other specs test them, such as
 * operator-sessions, second-factor, customer-factors, email-codes and passkeys.
 */
const isSignIn = (name: string): boolean =>
  /\/operator\/v1\/(session|setup|invitations)/.test(name) ||
  /\/api\/v1\/auth\/(challenge|exchange|sign-in-token|passkey$|email-code\/verify)/.test(name) ||
  /^POST \/api\/v1\/me\/(passkeys$|factors\/totp\/)/.test(name);
const isRead = ({ method }: Operation): boolean => method === 'GET';
/** Returns true for a console operation. Most console operations are an API operation at a different path. */
const isConsole = ({ path }: Operation): boolean => path.startsWith('/operator/');

export interface GeneratedInput {
  /** Operations that returned a 5xx or an undocumented response, with the request. */
  failures: string[];
  /** Operations that rejected every request. */
  alwaysRejected: string[];
  /** Number of documented operations that can succeed independently of others. */
  operations: number;
}

/**
 * Sends generated requests, valid and invalid, with every kind of credential, to every documented operation.
 * @param runs number of requests per operation. Console operations receive two fifths as many
 * @param writesPerPool number of write operations that share objects, each of which may delete or disable them
 */
export async function sendGeneratedInput(
  instance: TestInstance,
  runs: number,
  writesPerPool: number,
): Promise<GeneratedInput> {
  const statuses = new Map<string, Set<number>>();
  const send = async (
    operation: string,
    { method, path, headers, body }: GeneratedRequest,
  ): Promise<void> => {
    const response = await fetchDocumented(instance.baseUrl + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    });
    statuses.set(operation, (statuses.get(operation) ?? new Set()).add(response.status));
    if (response.status >= 500) throw new Error(`${response.status}: ${await response.text()}`);
  };

  const failures: string[] = [];
  // Reads change nothing and share one pool. They run before writes, which can delete or disable its objects.
  let pool = await createPool(instance);
  const all = listOperations().sort((one, other) => Number(isRead(other)) - Number(isRead(one)));
  const firstWrite = all.findIndex((operation) => !isRead(operation));
  for (const [index, operation] of all.entries()) {
    if (index >= firstWrite && (index - firstWrite) % writesPerPool === 0) pool = await createPool(instance);
    const result = await fc.check(
      fc.asyncProperty(requestArbitrary(operation, pool), (request) => send(operation.name, request)),
      { seed, numRuns: isConsole(operation) ? Math.ceil(runs * 0.4) : runs, endOnFailure: true },
    );
    if (result.failed) failures.push(`${operation.name}: ${fc.defaultReportMessage(result)}`);
  }
  const independent = all.map(({ name }) => name).filter((name) => !isSignIn(name));
  const alwaysRejected = independent.filter(
    (name) => ![...(statuses.get(name) ?? [])].some((status) => status < 400),
  );
  return { failures, alwaysRejected, operations: independent.length };
}
