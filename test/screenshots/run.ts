import { inspect } from 'node:util';
import { startBenchServers } from '../bench/servers.js';
import { TestBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { freePort } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';
import { Camera, variants } from './camera.js';
import { seedInstance } from './seed-instance.js';
import { offerAllMethods, takeHostedPages } from './take-hosted-pages.js';
import { createFirstOperator, takeDialogs, takeScreens, takeSetup, takeSignIn } from './take-screenshots.js';

const USAGE = 'npm run screenshots -- [<folder>; default .screenshots]';

/** The instance's settings. The first operator's email address is visible in screenshots. */
const env = {
  RATE_LIMITS: 'off',
  OPERATOR_EMAIL: 'mara.lind@nordwind.example',
  OPERATOR_PASSWORD: 'an unusual long phrase',
};

async function captureFull(browser: TestBrowser, folder: string): Promise<void> {
  const instance = await TestInstance.start({ env, workers: 0 });
  try {
    const { operator, chosen } = await seedInstance(instance);
    instance.startWorker();
    await instance.waitUntilReady();
    await waitForRollups(instance);
    const captureEach = async (work: (camera: Camera) => Promise<void>, isSignedIn = true): Promise<void> => {
      for (const variant of variants) {
        const camera = await Camera.open(browser, variant, {
          baseUrl: instance.baseUrl,
          folder,
          ...(isSignedIn ? { operator } : {}),
        });
        await work(camera);
        await camera.close();
      }
    };
    await captureEach((camera) => takeScreens(camera, instance, 'full', chosen));
    // Dialogs and sign-ins change data, so they come last. The workers stop first, so that they send no
    // notifications.
    await Promise.all(instance.workers.map((worker) => worker.stop()));
    await captureEach((camera) => takeDialogs(camera, chosen));
    await captureEach((camera) => takeSignIn(camera, instance, operator), false);
  } finally {
    await instance.stop();
  }
}

async function captureEmpty(browser: TestBrowser, folder: string): Promise<void> {
  const instance = await TestInstance.start({ env: { RATE_LIMITS: 'off', SEED: 'off' } });
  try {
    for (const variant of variants) {
      const camera = await Camera.open(browser, variant, { baseUrl: instance.baseUrl, folder });
      await takeSetup(camera, instance);
      await camera.close();
    }
    const operator = await createFirstOperator(instance);
    for (const variant of variants) {
      const camera = await Camera.open(browser, variant, { baseUrl: instance.baseUrl, folder, operator });
      await takeScreens(camera, instance, 'empty');
      await camera.close();
    }
  } finally {
    await instance.stop();
  }
}

async function captureHosted(browser: TestBrowser, folder: string): Promise<void> {
  // Browsers do not support passkeys on IP addresses.
  const port = String(await freePort());
  const localhost = { PORT: port, PUBLIC_URL: `http://localhost:${port}` };
  const instance = await TestInstance.start({ env: { ...env, ...localhost }, workers: 0 });
  const provider = await OpenIdProvider.start();
  try {
    await offerAllMethods(instance, provider);
    for (const variant of variants) {
      const camera = await Camera.open(browser, variant, { baseUrl: instance.baseUrl, folder });
      await takeHostedPages(camera, instance, 'en');
      await takeHostedPages(camera, instance, 'de');
      await camera.close();
    }
  } finally {
    await provider.stop();
    await instance.stop();
  }
}

/** Waits until the worker has computed the rollups for the overview. */
const waitForRollups = (instance: TestInstance): Promise<unknown> =>
  eventually(
    'the rollups',
    async () => {
      const [row] = await instance.sql(
        `SELECT (SELECT sum(counts[1]) FROM attempt_figures WHERE span = (SELECT max(span) FROM attempt_figures)
           AND scope_id = '00000000-0000-0000-0000-000000000000') >= 0.98 * (SELECT count(*) FROM attempts) AS "isDone"`,
      );
      return row!['isDone'] as boolean;
    },
    4_800,
  );

/** Takes all screenshots. @returns the exit code: 1 if a page wrote to its console */
async function main(): Promise<number> {
  const [folder = '.screenshots', ...more] = process.argv.slice(2);
  if (more.length > 0 || folder.startsWith('-')) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const stopServers = await startBenchServers();
  try {
    const browser = await TestBrowser.startShared();
    try {
      await captureFull(browser, folder);
      await captureEmpty(browser, folder);
      await captureHosted(browser, folder);
    } finally {
      await browser.close();
    }
    // Some screens show rejected forms. Chromium logs the response to each of them.
    const messages = browser.consoleMessages.filter((text) => !text.includes('responded with a status of 4'));
    for (const message of messages) process.stderr.write(`The browser: ${message}\n`);
    return messages.length > 0 ? 1 : 0;
  } finally {
    await stopServers();
  }
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`\n${inspect(error)}\n`);
  return 1;
});
