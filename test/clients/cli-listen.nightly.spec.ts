import { randomUUID } from 'node:crypto';
import { ListenCommand } from '../support/listen-command.js';
import { Receiver } from '../support/receiver.js';
import { TestInstance } from '../support/test-instance.js';

it('gatehouse listen forwards every event once, in order, across API crashes and restarts', async () => {
  const instance = await TestInstance.start({ workers: 0 });
  const receiver = await Receiver.start();
  const { projectSecretKey: secretKey, projectId, organizationId } = instance.credentials;
  const create = (type: string) =>
    instance.requestWithBearer(secretKey, 'POST', '/v1/events', { type, data: {} });
  const settings = {
    url: instance.baseUrl,
    secretKey,
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const command = new ListenCommand(settings, ['--forward', receiver.url]);
  try {
    await command.waitFor('ready');
    for (let round = 1; round <= 3; round += 1) {
      await create(`app.before_${round}`);
      await command.waitFor('response', round * 3 - 2);
      await instance.api.stop('SIGKILL');
      await command.waitFor('gatehouse_unavailable', round);
      // Committed by a transaction whose API process was killed before it could respond.
      const [id, type] = [randomUUID(), `app.during_${round}`];
      const event = {
        id: `evt_${id}`,
        type,
        project_id: projectId,
        organization_id: organizationId,
        data: {},
      };
      await instance.sql(
        `INSERT INTO events (id, organization_id, project_id, type, body, created_at) VALUES ($1, $2, $3, $4, $5, now())`,
        [id, organizationId, projectId, type, JSON.stringify(event)],
      );
      instance.startApi();
      await instance.waitUntilReady();
      await create(`app.after_${round}`);
      await command.waitFor('response', round * 3);
    }
    const expected = [1, 2, 3].flatMap((round) =>
      ['before', 'during', 'after'].map((phase) => `app.${phase}_${round}`),
    );
    expect(receiver.requests.map(({ event }) => event.type)).toEqual(expected);
    expect(await command.interrupt()).toMatchObject({ delivered: 9, failed: [], skipped: 0 });
  } finally {
    await command.interrupt().catch(() => undefined);
    await receiver.stop();
    await instance.stop();
  }
});
