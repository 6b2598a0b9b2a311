import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { fetchDocumented } from '../support/conformance.js';
import { House } from '../support/house.js';
import {
  freshPool,
  operations,
  requestArbitrary,
  type Pool,
  type Sent,
} from '../support/generated-requests.js';

/** Another one in every run, unless a run is to be repeated. */
const seed = Number(process.env['INPUT_SEED'] ?? randomInt(2 ** 31));
const RUNS = 50;
/** Longest time for all of them, in ms; each operation has its share, and drops the runs that do not fit. */
const TIME = 20_000;

let house: House;
const answered = new Map<string, Set<number>>();

beforeAll(async () => {
  process.stdout.write(`Generated input: INPUT_SEED=${seed} repeats this run.\n`);
  house = await House.start({ workers: 0, env: { RATE_LIMITS: 'off' } });
}, 60_000);
afterAll(async () => house?.stop());

/** The answer must be as documented, which `fetchDocumented` sees to, and no fault of ours. */
async function send(operation: string, { method, path, headers, body }: Sent): Promise<void> {
  const response = await fetchDocumented(house.baseUrl + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  answered.set(operation, (answered.get(operation) ?? new Set()).add(response.status));
  if (response.status >= 500) throw new Error(`${response.status}: ${await response.text()}`);
}

describe('generated input, right and wrong, with every kind of credential', () => {
  test.each(operations())('$name: no 5xx, and nothing that is not documented', async (operation) => {
    const pool: Pool = await freshPool(house);
    await fc.assert(
      fc.asyncProperty(requestArbitrary(operation, pool), (sent) => send(operation.name, sent)),
      { seed, numRuns: RUNS, endOnFailure: true, interruptAfterTimeLimit: TIME / operations().length },
    );
  });

  test('nine tenths of the operations did their work at least once', () => {
    const all = operations().map(({ name }) => name);
    const idle = all.filter((name) => ![...(answered.get(name) ?? [])].some((status) => status < 400));
    expect({ idle, isFew: idle.length <= all.length / 10 }).toMatchObject({ isFew: true });
  });
});
