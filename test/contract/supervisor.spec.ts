import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Programs } from '../../scripts/supervisor.mjs';

describe('the supervisor of npm run serve', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'gatehouse-programs-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('receives a message from each program that is waiting for PostgreSQL', async () => {
    for (const name of ['api', 'webhook-worker'])
      await writeFile(
        join(folder, `${name}.js`),
        `process.send('waiting'); process.send('ready'); setInterval(() => {}, 60_000);`,
      );
    let waiting = 0;
    const log = { write: () => undefined, forward: () => undefined, close: () => Promise.resolve() };
    const programs = new Programs({
      folder,
      log,
      onConfigError: () => undefined,
      onWaiting: () => (waiting += 1),
    });
    programs.start({ PATH: process.env['PATH'] });
    try {
      await programs.ready;
      expect(waiting).toBe(2);
    } finally {
      await programs.stop();
    }
  });
});
