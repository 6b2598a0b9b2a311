import { jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { notFound, unavailable } from '@gatehouse/domain';
import type { Logger } from '@gatehouse/platform';
import { ReadReplica } from './read-replica.js';

/** The process's clock, in ms. */
let clock = 0;
/** Positions in the log. If `replayed` is null, the replica is not a standby. */
let written = 100;
let replayed: number | null = 100;
let warn: jest.Mock<(fields: object, message: string) => void>;
let replica: ReadReplica;
let source: DataSource;

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => clock);
  [clock, written, replayed] = [0, 100, 100];
  warn = jest.fn<(fields: object, message: string) => void>();
  const master = {
    query: () => Promise.resolve({ rows: [{ position: replayed === null ? null : String(replayed) }] }),
  };
  source = { isInitialized: true, driver: { master } } as unknown as DataSource;
  const primary = { execute: () => Promise.resolve([{ position: String(written) }] as never[]) };
  replica = new ReadReplica(primary, source, { warn, info: () => undefined } as unknown as Logger);
});
afterEach(() => jest.restoreAllMocks());

/** Advances the clock by a second and checks the replica. */
const checkNext = () => {
  clock += 1_000;
  return replica.check();
};

/** Returns the data sources that a read uses if its attempts fail with these errors in turn. */
async function readAfter(...errors: unknown[]): Promise<(DataSource | undefined)[]> {
  const sources: (DataSource | undefined)[] = [];
  await replica.read(async () => {
    sources.push(replica.currentSource);
    await Promise.resolve();
    if (errors.length > 0) throw errors.shift() as Error;
  });
  return sources;
}

it("serves reads once it has replayed the log up to the primary's initial position", async () => {
  replayed = 99;
  await checkNext();
  expect([replica.isUsed, await readAfter()]).toEqual([null, [undefined]]);
  replayed = 100;
  await checkNext();
  expect([replica.isUsed, await readAfter()]).toEqual([true, [source]]);
});

it('serves reads while its lag is at most 10 s, even if the primary is idle', async () => {
  for (let count = 0; count < 30; count += 1) await checkNext();
  expect([replica.isUsed, replica.lagMs]).toEqual([true, 0]);
  written = 101;
  for (let count = 0; count < 10; count += 1) await checkNext();
  expect([replica.isUsed, replica.lagMs]).toEqual([true, 10_000]);
  await checkNext();
  expect([replica.isUsed, await readAfter()]).toEqual([false, [undefined]]);
  for (let count = 0; count < 100; count += 1) await checkNext();
  replayed = 101;
  await checkNext();
  await checkNext();
  expect([replica.isUsed, replica.lagMs]).toEqual([true, 0]);
});

it('does not serve reads if it is not a standby, such as after a promotion', async () => {
  await checkNext();
  replayed = null;
  await checkNext();
  expect([replica.isUsed, replica.lagMs]).toEqual([false, null]);
  expect(warn.mock.calls).toEqual([
    [
      expect.objectContaining({ reason: 'the server is not a standby' }),
      'replica unusable, reading from the primary',
    ],
  ]);
});

it('retries failed reads on the primary, and stays in use after a query error', async () => {
  await checkNext();
  const conflict = Object.assign(new Error('canceling statement due to conflict with recovery'), {
    code: '40001',
  });
  const timeout = unavailable({ cause: Object.assign(new Error('timeout'), { code: '57014' }) });
  for (const error of [conflict, timeout, notFound()])
    expect([error, await readAfter(error)]).toEqual([error, [source, undefined]]);
  expect(replica.isUsed).toBe(true);
  expect(warn.mock.calls.map(([, message]) => message)).toEqual(
    Array(2).fill('read from the replica failed, repeated on the primary'),
  );
});

it('does not serve reads after a connection error until the next check', async () => {
  await checkNext();
  const refused = unavailable({ cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
  expect(await readAfter(refused)).toEqual([source, undefined]);
  expect(await readAfter()).toEqual([undefined]);
  await checkNext();
  expect(await readAfter()).toEqual([source]);
});

it("throws the primary's error if both reads fail", async () => {
  await checkNext();
  await expect(readAfter(notFound(), notFound())).rejects.toThrow(notFound());
});
