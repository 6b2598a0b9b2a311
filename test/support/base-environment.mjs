import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';

/** The AsyncLocalStorage instances that the current test file has used. */
const used = new Set();

const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function recordedRun(...args) {
  used.add(this);
  return run.apply(this, args);
};

/**
 * The environment for all tests. It disables a file's AsyncLocalStorage instances when the file ends. jest-circus
 * creates one for each file and, before Node.js 24, each enabled instance costs time for every promise in all later
 * files.
 */
export default class BaseEnvironment extends NodeEnvironment {
  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    await super.teardown();
  }
}
