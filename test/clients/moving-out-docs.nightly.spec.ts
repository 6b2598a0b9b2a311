import { run } from '../../scripts/processes.mjs';
import { MovingOut } from '../support/moving-out.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let moving: MovingOut;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  // This machine's package indexes and certificates.
  const env = Object.entries(process.env).filter(([name]) => /^(HOME|GO|PIP_|SSL_CERT_)/.test(name));
  moving = await MovingOut.start(instance, Object.fromEntries(env) as Record<string, string>);
});
afterAll(async () => {
  await moving?.folder.close();
  await instance?.stop();
});

it.each([
  [
    'Python',
    'python3 -m venv probe && probe/bin/pip download --quiet --no-deps --dest probe bcrypt',
    'install-python',
    'verify-python',
  ],
  [
    'Go',
    'GOFLAGS=-mod=mod go list -m golang.org/x/crypto@latest golang.org/x/text@latest',
    'install-go',
    'verify-go',
  ],
])('PW-06: the documented %s program verifies exported hashes', async (language, probe, install, verify) => {
  const { folder } = moving;
  const { code, output } = await run('sh', ['-euc', probe], { cwd: folder.path });
  if (code !== 0) {
    const reason = output.trim().split('\n').at(-1);
    process.stderr.write(`docs/moving-out.md is not tested with ${language}: ${reason}\n`);
    return;
  }
  await folder.runBlocks(install);
  await moving.expectVerifies(verify);
});
