import fc from 'fast-check';
import { fetchDocumented } from '../support/fetch-documented.js';
import { TestInstance } from '../support/test-instance.js';
import {
  freshPool,
  operations,
  requestArbitrary,
  type Operation,
  type Pool,
  type Sent,
} from '../support/generated-requests.js';

/** The same in every run, so that a run which fails can be told from one which was unlucky; INPUT_SEED tries another. */
const seed = Number(process.env['INPUT_SEED'] ?? 20_261_121);
const RUNS = 50;
/** Most routes of operators are those of keys, by another door. */
const CONSOLE_RUNS = 20;
/** These want one another's secrets, in their order: operator-sessions.spec.ts and second-factor.spec.ts. */
const isSigningIn = (name: string): boolean => /\/operator\/v1\/(session|setup|invitations)/.test(name);

let instance: TestInstance;
const answered = new Map<string, Set<number>>();

beforeAll(async () => {
  process.stdout.write(`Generated input: INPUT_SEED=${seed}; another seed asks for other things.\n`);
  instance = await TestInstance.shared({ workers: 0 });
});
afterAll(async () => instance?.stop());

/** The answer must be as documented, which `fetchDocumented` sees to, and no fault of ours. */
async function send(operation: string, { method, path, headers, body }: Sent): Promise<void> {
  const response = await fetchDocumented(instance.baseUrl + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  answered.set(operation, (answered.get(operation) ?? new Set()).add(response.status));
  if (response.status >= 500) throw new Error(`${response.status}: ${await response.text()}`);
}

const isReading = ({ method }: Operation): boolean => method === 'GET';
/** First those that end nothing, and so need nothing of their own. */
const inOrder = operations().sort((one, other) => Number(isReading(other)) - Number(isReading(one)));

describe('generated input, right and wrong, with every kind of credential', () => {
  let shared: Pool | undefined;

  test.each(inOrder)('$name: no 5xx, and nothing that is not documented', async (operation) => {
    const pool = isReading(operation) ? (shared ??= await freshPool(instance)) : await freshPool(instance);
    await fc.assert(
      fc.asyncProperty(requestArbitrary(operation, pool), (sent) => send(operation.name, sent)),
      { seed, numRuns: operation.path.startsWith('/operator/') ? CONSOLE_RUNS : RUNS, endOnFailure: true },
    );
  });

  test('nine tenths of the operations did their work at least once', () => {
    const all = operations()
      .map(({ name }) => name)
      .filter((name) => !isSigningIn(name));
    const idle = all.filter((name) => ![...(answered.get(name) ?? [])].some((status) => status < 400));
    expect(idle.length > all.length / 10 ? idle : []).toEqual([]);
  });
});
