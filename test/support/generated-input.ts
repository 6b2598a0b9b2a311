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

/** The same in every run, so that a failure can be reproduced; INPUT_SEED sets another. */
const seed = Number(process.env['INPUT_SEED'] ?? 20_261_121);

/** These need the secrets of one another, in their order: operator-sessions and second-factor prove them. */
const isSignIn = (name: string): boolean => /\/operator\/v1\/(session|setup|invitations)/.test(name);
const isRead = ({ method }: Operation): boolean => method === 'GET';
/** Most routes of operators are those of keys, under another path. */
const isConsole = ({ path }: Operation): boolean => path.startsWith('/operator/');

export interface GeneratedInput {
  /** The operations that returned a 5xx or something that is not documented, with the request. */
  failures: string[];
  /** The operations that refused every request. */
  alwaysRejected: string[];
  /** How many operations the document has that can succeed by themselves. */
  operations: number;
}

/**
 * Sends generated requests, right and wrong, with every kind of credential, to every documented operation.
 * @param runs requests of an operation; 2/5 of them where it is one of the console
 * @param writesPerPool how many writes share objects, which each of them may end
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

  const faults: string[] = [];
  // Reads end nothing and share one pool. They come first, before a write ends what the pool holds.
  let pool = await createPool(instance);
  const all = listOperations().sort((one, other) => Number(isRead(other)) - Number(isRead(one)));
  const firstWrite = all.findIndex((operation) => !isRead(operation));
  for (const [index, operation] of all.entries()) {
    if (index >= firstWrite && (index - firstWrite) % writesPerPool === 0) pool = await createPool(instance);
    const result = await fc.check(
      fc.asyncProperty(requestArbitrary(operation, pool), (sent) => send(operation.name, sent)),
      { seed, numRuns: isConsole(operation) ? Math.ceil(runs * 0.4) : runs, endOnFailure: true },
    );
    if (result.failed) faults.push(`${operation.name}: ${fc.defaultReportMessage(result)}`);
  }
  const able = all.map(({ name }) => name).filter((name) => !isSignIn(name));
  const idle = able.filter((name) => ![...(statuses.get(name) ?? [])].some((status) => status < 400));
  return { failures: faults, alwaysRejected: idle, operations: able.length };
}
