import { inspect } from 'node:util';
import { startBenchServers } from '../bench/servers.js';
import { TestBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { Camera, variants, type Variant } from './camera.js';
import { seedInstance } from './seed-instance.js';
import { createFirstOperator, takeDialogs, takeScreens, takeSetup, takeSignIn } from './take-screenshots.js';

const USAGE = 'npm run screenshots -- [<folder>; default .screenshots]';

/** The first operator, whose e-mail stands in the pictures. */
const env = {
  RATE_LIMITS: 'off',
  OPERATOR_EMAIL: 'mara.lind@nordwind.example',
  OPERATOR_PASSWORD: 'an unusual long phrase',
};
const all = Object.keys(variants) as Variant[];

async function captureFull(browser: TestBrowser, folder: string): Promise<void> {
  const instance = await TestInstance.start({ env, workers: 0 });
  try {
    const { operator, chosen } = await seedInstance(instance);
    instance.startWorker();
    await instance.waitUntilReady();
    await waitForRollups(instance);
    const each = async (work: (camera: Camera) => Promise<void>, isIn = true): Promise<void> => {
      for (const look of all) {
        const camera = await Camera.open(browser, look, {
          baseUrl: instance.baseUrl,
          folder,
          ...(isIn ? { operator } : {}),
        });
        await work(camera);
        await camera.close();
      }
    };
    await each((camera) => takeScreens(camera, instance, 'full', chosen));
    // These leave something behind, so that they come last, and nobody is told.
    await Promise.all(instance.workers.map((worker) => worker.stop()));
    await each((camera) => takeDialogs(camera, chosen));
    await each((camera) => takeSignIn(camera, instance, operator), false);
  } finally {
    await instance.stop();
  }
}

async function captureEmpty(browser: TestBrowser, folder: string): Promise<void> {
  const instance = await TestInstance.start({ env: { RATE_LIMITS: 'off', SEED: 'off' } });
  try {
    for (const look of all) {
      const camera = await Camera.open(browser, look, { baseUrl: instance.baseUrl, folder });
      await takeSetup(camera, instance);
      await camera.close();
    }
    const operator = await createFirstOperator(instance);
    for (const look of all) {
      const camera = await Camera.open(browser, look, { baseUrl: instance.baseUrl, folder, operator });
      await takeScreens(camera, instance, 'empty');
      await camera.close();
    }
  } finally {
    await instance.stop();
  }
}

/** Resolves when the worker has counted the log for the overview. */
const waitForRollups = (instance: TestInstance): Promise<unknown> =>
  eventually(
    'the log being counted',
    async () => {
      const [row] = await instance.sql(
        `SELECT (SELECT sum(counts[1]) FROM attempt_figures WHERE span = (SELECT max(span) FROM attempt_figures)
           AND scope_id = '00000000-0000-0000-0000-000000000000') >= 0.98 * (SELECT count(*) FROM attempts) AS "isDone"`,
      );
      return row!['isDone'] as boolean;
    },
    4_800,
  );

/** @returns the exit code: 1 when a page has complained */
async function main(): Promise<number> {
  const [folder = '.screenshots', ...more] = process.argv.slice(2);
  if (more.length > 0 || folder.startsWith('-')) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const stopServers = await startBenchServers();
  try {
    const browser = await TestBrowser.launch();
    try {
      await captureFull(browser, folder);
      await captureEmpty(browser, folder);
    } finally {
      await browser.close();
    }
    for (const complaint of browser.consoleMessages) process.stderr.write(`The browser: ${complaint}\n`);
    return browser.consoleMessages.length > 0 ? 1 : 0;
  } finally {
    await stopServers();
  }
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`\n${inspect(error)}\n`);
  return 1;
});
