import path from 'node:path';
import { main } from './environment.mjs';
import { installNode, nodeVersions } from './node-versions.mjs';
import { run } from './processes.mjs';

/** Exit code if a version cannot be installed (EX_TEMPFAIL in sysexits.h). */
const NOT_INSTALLED = 75;

/** Runs the tests with other Node.js versions. Arguments: major versions, then arguments for scripts/test.mjs. */
await main(async () => {
  const args = process.argv.slice(2);
  const majors = args.filter((arg) => arg in nodeVersions);
  let result = 0;
  for (const major of majors) {
    const folder = await installNode(major);
    console.log(`Node.js ${nodeVersions[major]}`);
    const code = folder === null ? NOT_INSTALLED : await test(folder, args.slice(majors.length));
    if (code >= 128) return code;
    // A failed test takes precedence over a version that cannot be installed.
    if (code !== 0 && (result === 0 || result === NOT_INSTALLED)) result = code;
  }
  return result;
});

/** Runs the tests, and the commands that they start, with the Node.js version in a folder. */
async function test(folder, args) {
  const env = {
    ...process.env,
    PATH: `${folder}${path.delimiter}${process.env.PATH}`,
    TEST_OTHER_NODE: 'on',
  };
  const { code } = await run(path.join(folder, 'node'), ['scripts/test.mjs', ...args], {
    stdio: 'inherit',
    env,
  });
  return code;
}
