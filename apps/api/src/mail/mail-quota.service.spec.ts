import {
  defaultSettings,
  type MailLimitReason,
  type MailLimits,
  type MailPurpose,
  type ProjectContext,
} from '@gatehouse/domain';
import type { DroppedMail, MailsRepository } from '@gatehouse/persistence';
import { createLogger, RateLimiter, type ApiMetrics, type MailKind } from '@gatehouse/platform';
import { MailQuotaService, type MailRejection, type MailRequest } from './mail-quota.service.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const project = (limits: Partial<MailLimits> = {}, id = 'p'): ProjectContext =>
  ({
    id,
    settings: { ...defaultSettings, mailLimits: { ...defaultSettings.mailLimits, ...limits } },
  }) as ProjectContext;
const request = (kind: MailKind, recipient: string, isTrusted: boolean): MailRequest => ({
  kind,
  recipient,
  isTrusted,
});
const signUp = (recipient: string) => request('verify-email', recipient, false);
const reset = (recipient: string, isTrusted = true) => request('reset-password', recipient, isTrusted);
const victim = 'victim@example.com';

describe('MailQuotaService (RL-08)', () => {
  let quota: MailQuotaService;
  let dropped: DroppedMail[];
  let limited: [MailPurpose, MailLimitReason][];
  beforeEach(() => {
    [dropped, limited] = [[], []];
    const mails = { insertDropped: async (mail: DroppedMail) => void dropped.push(mail) };
    const metrics = {
      recordLimitedMail: (...labels: [MailPurpose, MailLimitReason]) => void limited.push(labels),
    };
    quota = new MailQuotaService(
      new RateLimiter(null),
      mails as unknown as MailsRepository,
      metrics as ApiMetrics,
      logger,
    );
  });

  const countAllowed = async (
    count: number,
    send: (index: number) => Promise<MailRejection | null>,
  ): Promise<number> => {
    let allowed = 0;
    for (let index = 0; index < count; index += 1) if ((await send(index)) === null) allowed += 1;
    return allowed;
  };

  it('allows unauthenticated callers one email per minute for each kind and address', async () => {
    expect(await countAllowed(3, () => quota.consumeForUnauthenticated(project(), reset(victim)))).toBe(1);
    expect(await quota.consumeForUnauthenticated(project(), reset(victim))).toMatchObject({
      reason: 'too_soon',
      retryAfterSeconds: 60,
    });
    expect(await quota.consumeForUnauthenticated(project(), signUp(victim))).toBeNull();
    const tagged = reset('victim+a@example.com');
    expect(await quota.consumeForUnauthenticated(project(), tagged)).toBeNull();
  });

  it("counts a registration's email as the first of its kind", async () => {
    expect(await quota.consumeForRegistration(project(), signUp(victim))).toBeNull();
    expect(await quota.consumeForUnauthenticated(project(), signUp(victim))).toMatchObject({
      reason: 'too_soon',
    });
  });

  it('MQ-01: allows a project 2,000 emails per hour, separately for each purpose', async () => {
    const register = (index: number) =>
      quota.consumeForRegistration(project(), signUp(`${index}@example.com`));
    expect(await countAllowed(2_005, register)).toBe(2_000);
    expect(await quota.consume(project(), signUp(victim))).toMatchObject({
      reason: 'project_limit',
      policy: { name: 'mail-project', quota: 2_000 },
    });
    const kinds = ['reset-password', 'change-email-current', 'change-email-new', 'accept-invite'] as const;
    for (const kind of kinds) {
      for (const isTrusted of [true, false]) {
        expect([kind, await quota.consume(project(), request(kind, victim, isTrusted))]).toEqual([
          kind,
          null,
        ]);
      }
    }
    expect(await quota.consume(project(), request('password-changed', victim, true))).toBeNull();
    expect(await quota.consume(project({}, 'other'), signUp(victim))).toBeNull();
  });

  it('MQ-01: counts the emails to unverified addresses separately', async () => {
    const limited = project({ passwordReset: 1 });
    const resetUnverified = (index: number) => quota.consume(limited, reset(`${index}@example.com`, false));
    expect(await countAllowed(3, resetUnverified)).toBe(1);
    expect(await quota.consume(limited, reset(victim))).toBeNull();
  });

  it('MQ-01: sends a verified customer one email an hour for each purpose, even at the project limit', async () => {
    const limited = project({ passwordReset: 1 });
    for (const email of ['first@example.com', 'second@example.com', 'third@example.com']) {
      expect([email, await countAllowed(3, () => quota.consume(limited, reset(email)))]).toEqual([
        email,
        email.startsWith('first') ? 2 : 1,
      ]);
    }
  });

  it("MQ-01: counts emails triggered by strangers separately from the owner's", async () => {
    const strangers: [MailKind, boolean][] = [
      ['verify-email', false],
      ['already-registered', false],
      ['reset-password', false],
      ['change-email-current', false],
      ['change-email-new', false],
      ['change-email-new', true],
    ];
    for (const [kind, isTrusted] of strangers) {
      await countAllowed(6, () => quota.consume(project(), request(kind, victim, isTrusted)));
    }
    for (const kind of ['reset-password', 'change-email-current', 'accept-invite'] as const) {
      const owned = request(kind, victim, true);
      expect([kind, await countAllowed(6, () => quota.consume(project(), owned))]).toEqual([kind, 5]);
    }
  });

  it('MQ-01: counts the emails that a session, an operator or a secret key requests separately', async () => {
    const purposes = [
      ['email-code', 'reauthentication-code'],
      ['reset-password', 'reset-password'],
    ] as const;
    for (const [strangers, own] of purposes) {
      await countAllowed(6, () => quota.consume(project(), request(strangers, victim, true)));
      const owned = { ...request(own, victim, true), isAuthenticated: true };
      expect([own, await countAllowed(6, () => quota.consume(project(), owned))]).toEqual([own, 5]);
    }
  });

  it('MQ-01: allows resets for an unverified address that has used up its sign-up emails', async () => {
    await countAllowed(6, (index) => quota.consume(project(), signUp(`victim+${index}@example.com`)));
    await countAllowed(6, () => quota.consume(project(), request('change-email-new', victim, false)));
    for (const kind of ['reset-password', 'change-email-current'] as const) {
      const owned = request(kind, victim, false);
      expect([kind, await countAllowed(6, () => quota.consume(project(), owned))]).toEqual([kind, 5]);
    }
  });

  it('MQ-02: allows 5 emails an hour for each purpose, shared by all +tag forms of an address', async () => {
    const register = (index: number) =>
      quota.consumeForRegistration(project(), signUp(`victim+${index}@example.com`));
    expect(await countAllowed(8, register)).toBe(5);
    expect(await quota.consume(project(), signUp(victim))).toMatchObject({
      reason: 'recipient_limit',
      policy: { name: 'mail-recipient', quota: 5 },
    });
    const invite = (index: number) =>
      quota.consume(project(), request('accept-invite', `victim+${index}@example.com`, true));
    expect(await countAllowed(8, invite)).toBe(5);
    expect(await quota.consume(project(), signUp('grace@example.com'))).toBeNull();
    expect(await quota.consume(project({}, 'other'), signUp(victim))).toBeNull();
  });

  it("applies each project's limits", async () => {
    const limited = project({ signUp: 3, perRecipient: 1 }, 'limited');
    expect(await countAllowed(5, () => quota.consume(limited, signUp(victim)))).toBe(1);
    expect(await countAllowed(5, (index) => quota.consume(limited, signUp(`${index}@example.com`)))).toBe(2);
    expect(await countAllowed(7, () => quota.consume(project(), signUp(victim)))).toBe(5);
  });

  it('applies only the recipient limit to notices to an unverified address', async () => {
    const notice = (isTrusted: boolean) => request('password-changed', victim, isTrusted);
    await countAllowed(2, (index) => quota.consume(project({ signUp: 1 }), signUp(`${index}@example.com`)));
    expect(await countAllowed(7, () => quota.consume(project({ signUp: 1 }), notice(false)))).toBe(5);
    expect(await countAllowed(7, () => quota.consume(project(), notice(true)))).toBe(7);
  });

  it('MQ-01: counts every rejection in the metrics, and logs the first 5 for each address and kind', async () => {
    for (let count = 0; count < 8; count += 1) {
      const rejection = await quota.consumeForUnauthenticated(project(), reset(victim));
      if (rejection) await quota.recordDropped(project(), 'customer', reset(victim), rejection);
    }
    expect(dropped).toHaveLength(5);
    expect(dropped[0]).toMatchObject({
      projectId: 'p',
      customerId: 'customer',
      kind: 'reset-password',
      recipient: victim,
      reason: 'too_soon',
    });
    expect(limited).toEqual(Array(7).fill(['passwordReset', 'too_soon']));
  });
});
