import bcrypt from 'bcrypt';
import { defaultSettings, type ProjectContext } from '@gatehouse/domain';
import type { LoginAttemptsRepository } from '@gatehouse/persistence';
import { Keyring, PasswordHasher, type HashTask, type HashThreads } from '@gatehouse/platform';
import type { FailedSignInsService } from '../factors/failed-sign-ins.service.js';
import type { Client } from '../http/request-context.js';
import type { RequiredProvidersService } from '../identities/required-providers.service.js';
import { PasswordCheckService } from './password-check.service.js';
import { PasswordVerificationService } from './password-verification.service.js';

const keyring = new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']);
const project = { id: 'p', settings: defaultSettings } as ProjectContext;
const client = { addressBlock: null, signal: new AbortController().signal } as unknown as Client;

/** Records its tasks, and accepts every password. */
class RecordingThreads {
  readonly tasks: HashTask[] = [];
  run(task: HashTask): Promise<unknown> {
    this.tasks.push(task);
    return Promise.resolve('cost' in task ? bcrypt.hashSync('x', 4).replace('$04$', '$10$') : true);
  }
  reserve() {
    return { release: () => undefined };
  }
}

describe('decoy hash for an email address without a password (OP-03, PW-08)', () => {
  const imported = bcrypt.hashSync('x', 4).replace('$04$', '$12$');

  /** Returns a check's error code, and its last task. */
  async function check(decoyHash: string | null, granted: 'open' | null = 'open') {
    const threads = new RecordingThreads();
    const hasher = new PasswordHasher(threads as unknown as HashThreads, keyring, 10);
    const counted = { granted, attempts: 1, guesses: 1, secondsLeft: 9, windowSeconds: 900 };
    const attempts = { reserve: () => Promise.resolve({ ...counted, customer: null, decoyHash }) };
    const unused = null as never;
    const required = { assertAllowed: () => Promise.resolve() };
    const failures = { reportOtherProvider: (checked: Promise<void>) => checked };
    const service = new PasswordCheckService(
      attempts as unknown as LoginAttemptsRepository,
      unused,
      unused,
      unused,
      unused,
      new PasswordVerificationService(hasher, unused),
      keyring,
      unused,
      unused,
      failures as unknown as FailedSignInsService,
      required as unknown as RequiredProvidersService,
    );
    const error = await service.check(project, 'unknown@example.com', 'password', client).catch((e) => e);
    return { code: error.code as string, task: threads.tasks.at(-1)! };
  }

  it('has the scheme, parameters and weight of the selected hash, but a different salt and hash', async () => {
    const hasher = new PasswordHasher(new RecordingThreads() as unknown as HashThreads, keyring, 10);
    const { code, task } = await check(hasher.importHash(imported).stored);
    expect(code).toBe('invalid_credentials');
    expect(task).toMatchObject({ imported: { scheme: 'bcrypt' }, passwords: ['password'], weight: 4 });
    const { hash } = (task as { imported: { hash: string } }).imported;
    expect(hash).toMatch(/^\$2b\$12\$[./A-Za-z0-9]{53}$/);
    expect(hash).not.toContain(imported.slice(-31));
  });

  it('has the Gatehouse format in a project without passwords', async () => {
    expect((await check(null)).task).toEqual({
      input: expect.any(String),
      hash: expect.stringMatching(/^\$2b\$10\$/),
    });
  });

  it('is verified even if the attempt is rejected', async () => {
    expect(await check(null, null)).toMatchObject({
      code: 'too_many_attempts',
      task: { hash: expect.any(String) },
    });
  });
});
