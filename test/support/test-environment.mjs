import * as platform from '@gatehouse/platform';
import BaseEnvironment from './base-environment.mjs';
import { conformance } from './conformance.mjs';
import { sharedBrowser } from './shared-browser.mjs';
import { nameServerPort, releaseSharedServers, sharedServer } from './shared-servers.mjs';

/** Test files that start their own processes, in order to kill, freeze or configure them. */
const USES_OWN_PROCESSES = /\.(dedicated|browser|nightly)\.spec\.ts$|\/test\/faults\//;

/**
 * The environment for end-to-end tests. Jest loads modules again for each test file. The modules that are imported
 * here are loaded once per jest worker: the shared servers, the shared browser, the compiled OpenAPI document and the
 * platform library (platform.ts).
 */
export default class TestEnvironment extends BaseEnvironment {
  constructor(config, context) {
    super(config, context);
    this.usesOwnProcesses = USES_OWN_PROCESSES.test(context.testPath);
  }

  async setup() {
    await super.setup();
    this.global.testWorker = {
      ...{ conformance, sharedServer, nameServerPort, sharedBrowser, platform },
      usesOwnProcesses: this.usesOwnProcesses,
    };
  }

  async teardown() {
    await releaseSharedServers();
    await super.teardown();
  }
}
