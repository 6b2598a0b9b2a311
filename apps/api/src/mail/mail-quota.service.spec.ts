import type { ProjectContext } from '@gatehouse/domain';
import { createLogger, RateLimiter, type MailKind } from '@gatehouse/platform';
import { MailQuotaService } from './mail-quota.service.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const project = (id: string) => ({ id }) as ProjectContext;
/** Any number of kinds, so that the limit per kind stays out of the way. */
const kind = (number: number) => `kind-${number}` as MailKind;

describe('MailQuotaService (RL-08)', () => {
  let quota: MailQuotaService;
  beforeEach(() => (quota = new MailQuotaService(new RateLimiter(null, logger), logger)));

  const allowed = async (count: number, ask: (index: number) => Promise<boolean>): Promise<number> => {
    let passed = 0;
    for (let index = 0; index < count; index += 1) if (await ask(index)) passed += 1;
    return passed;
  };

  it('takes one mail of a kind to an address a minute', async () => {
    const ask = () => quota.tryConsume(project('p'), 'ada@example.com', 'verify-email');
    expect(await allowed(3, ask)).toBe(1);
    expect(await quota.tryConsume(project('p'), 'ada@example.com', 'reset-password')).toBe(true);
  });

  it('takes 5 mails to an address an hour, whatever the kind, in each project', async () => {
    expect(await allowed(8, (index) => quota.tryConsume(project('p'), 'ada@example.com', kind(index)))).toBe(
      5,
    );
    expect(await quota.tryConsume(project('p'), 'grace@example.com', kind(0))).toBe(true);
    expect(await quota.tryConsume(project('other'), 'ada@example.com', kind(0))).toBe(true);
  });

  it('takes 2,000 mails of a project an hour', async () => {
    const ask = (index: number) =>
      quota.tryConsumeFirst(project('p'), `${index}@example.com`, 'verify-email');
    expect(await allowed(2_010, ask)).toBe(2_000);
    expect(await quota.tryConsume(project('p'), 'ada@example.com', 'reset-password')).toBe(false);
    expect(await quota.tryConsume(project('other'), 'ada@example.com', 'reset-password')).toBe(true);
  });

  it('counts the mail of a registration, but never refuses it for its address', async () => {
    const first = () => quota.tryConsumeFirst(project('p'), 'ada@example.com', 'verify-email');
    expect(await allowed(3, first)).toBe(3);
    expect(await quota.tryConsume(project('p'), 'ada@example.com', 'verify-email')).toBe(false);
  });
});
