import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';

// The headless shell renders no browser windows, so the tests use a quarter less CPU time.
const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

/** A host name for this machine that browsers do not trust over plain http, like a host in a LAN. */
export const UNTRUSTED_HOST = 'shop.lan.test';

/** The options with which tests start Chromium. Without a path, Chromium is not installed. */
export const chromiumOptions = {
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--host-resolver-rules=MAP ${UNTRUSTED_HOST} 127.0.0.1`,
  ],
};

/** @type {Promise<import('playwright-core').Browser> | undefined} */
let browser;

/**
 * Returns this process's Chromium, which is started on first use. Each test file opens its own contexts.
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function sharedBrowser() {
  if (!(await browser)?.isConnected()) browser = launch();
  return /** @type {Promise<import('playwright-core').Browser>} */ (browser);
}

async function launch() {
  const { chromium } = await import('playwright-core');
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  const record = (message) => void children.push(message.process);
  subscribe('child_process', record);
  try {
    return await chromium.launch(chromiumOptions);
  } finally {
    unsubscribe('child_process', record);
    for (const child of children.filter(({ spawnfile }) => spawnfile === executablePath)) allowExit(child);
  }
}

/** Allows this process to end while its child is still running. Playwright then ends the child. */
function allowExit(child) {
  child.unref();
  for (const stream of child.stdio) stream?.unref();
}
