import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { FAST_RETRIES } from '../support/dead-letters.js';
import { TestInstance } from '../support/test-instance.js';
import { WebhooksDocument } from '../support/webhooks-document.js';

const isMissing = spawnSync('go', ['version']).error !== undefined;
if (isMissing) process.stderr.write('docs/webhooks.md is not fully tested. Not installed: Go.\n');

// The first build on a machine also compiles the standard library, which takes 35 s of CPU time.
(isMissing ? it.skip : it)(
  'WH-07: the receiver in Go accepts real deliveries and rejects other requests',
  async () => {
    const instance = await TestInstance.startShared({ workerEnv: { ...FAST_RETRIES } });
    const document = await WebhooksDocument.open(instance);
    try {
      const { PATH, HOME } = process.env;
      await promisify(execFile)('go', ['build', '-o', 'receiver', 'receiver.go'], {
        cwd: document.folder,
        env: { PATH, HOME, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
      });
      await document.expectExampleVerifies(['./receiver']);
    } finally {
      await document.close();
      await instance.stop();
    }
  },
);
