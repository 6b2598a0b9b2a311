import type { ProjectContext } from '@gatehouse/domain';
import { createLogger, RateLimiter } from '@gatehouse/platform';
import { MailQuotaService } from './mail-quota.service.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const project = (id: string) => ({ id }) as ProjectContext;

describe('MailQuotaService (RL-08)', () => {
  let quota: MailQuotaService;
  beforeEach(() => (quota = new MailQuotaService(new RateLimiter(null), logger)));

  const countAllowed = async (
    count: number,
    request: (index: number) => Promise<boolean>,
  ): Promise<number> => {
    let passed = 0;
    for (let index = 0; index < count; index += 1) if (await request(index)) passed += 1;
    return passed;
  };

  it('allows one email of a kind to an address per minute', async () => {
    const request = () => quota.tryConsume(project('p'), 'ada@example.com', 'verify-email');
    expect(await countAllowed(3, request)).toBe(1);
    expect(await quota.tryConsume(project('p'), 'ada@example.com', 'reset-password')).toBe(true);
  });

  it('allows 2,000 emails of a project per hour', async () => {
    const request = (index: number) =>
      quota.tryConsumeFirst(project('p'), `${index}@example.com`, 'verify-email');
    expect(await countAllowed(2_010, request)).toBe(2_000);
    expect(await quota.tryConsume(project('other'), 'ada@example.com', 'reset-password')).toBe(true);
  });

  it('counts the email of a registration, but does not limit it by its address', async () => {
    const first = () => quota.tryConsumeFirst(project('p'), 'ada@example.com', 'verify-email');
    expect(await countAllowed(3, first)).toBe(3);
    expect(await quota.tryConsume(project('p'), 'ada@example.com', 'verify-email')).toBe(false);
  });
});
