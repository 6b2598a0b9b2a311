import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from '@gatehouse/server';
import { parseLines, startCli } from '../support/cli.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.start({ workers: 0 })));
afterAll(async () => instance?.stop());

it('gatehouse events tail prints each event once, in order, across API crashes and restarts', async () => {
  const { projectId, projectSecretKey: secretKey } = instance.credentials;
  const { events } = createServer({ url: instance.baseUrl, projectId, secretKey });
  const send = (name: string) => events.create({ type: 'app.tail', data: { name } });
  const args = ['events', 'tail', '--types', 'app.tail', '--json'];
  const tail = await startCli(instance, args, { wait: () => sleep(25) });
  await tail.waitFor((await send('first')).id);
  for (const name of ['second', 'third', 'fourth']) {
    // Some events are read before the API is killed, the others after its restart.
    for (let index = 0; index < 20; index += 1) await send(`before the ${name} start`);
    await instance.api.stop('SIGKILL');
    await tail.waitFor('Waiting for Gatehouse', 'stderr');
    instance.startApi();
    await instance.waitUntilReady();
    await tail.waitFor((await send(`after the ${name} start`)).id);
    tail.stderr = '';
  }
  expect(await tail.interrupt()).toBe(130);
  const rows = await instance.sql<{ id: string }>(
    `SELECT 'evt_' || id AS id FROM events WHERE type = 'app.tail' ORDER BY xact, events.id`,
  );
  expect(rows).toHaveLength(64);
  expect(parseLines(tail.stdout).map(({ id }) => id as string)).toEqual(rows.map(({ id }) => id));
});
