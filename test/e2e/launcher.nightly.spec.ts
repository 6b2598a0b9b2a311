import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { Launcher } from '../support/launcher.js';
import { freePort } from '../support/server-process.mjs';

it("npm start ends when npm is stopped, although npm's shell does not forward the signal", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse launcher '));
  const env = { PORT: String(await freePort()), DATA_DIR: join(folder, 'data') };
  try {
    const launcher = Launcher.start(env, ['npm', 'start']);
    await launcher.waitForBanner();
    await launcher.stop('SIGTERM');
    const lock = join(env.DATA_DIR, 'launcher.pid');
    await eventually('the end of the launcher', () =>
      stat(lock).then(
        () => false,
        () => true,
      ),
    );
    await expect(fetch(`http://127.0.0.1:${env.PORT}/livez`)).rejects.toThrow();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
