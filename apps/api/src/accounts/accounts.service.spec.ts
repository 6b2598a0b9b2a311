import { GatehouseError, type ProjectContext } from '@gatehouse/domain';
import type { Tx } from '@gatehouse/persistence';
import { AccountNeeded, AccountsService, type Admission } from './accounts.service.js';
import { accountSources, type AccountSource } from './account-sources.js';

const unused = null as never;
const fields = { email: 'ada@example.com' };

/** Returns a project that allows or prohibits sign-up. */
const projectWith = (allowSignUp: boolean) =>
  ({ id: 'project', settings: { signIn: { allowSignUp } } }) as unknown as ProjectContext;

/** Creates a service that records its steps, and whether a transaction is open in each step. */
function record(isOtherRequired = false) {
  const steps: string[] = [];
  let open = 0;
  const step = (name: string): Promise<null> => {
    steps.push(open > 0 ? `${name} in a transaction` : name);
    return Promise.resolve(null);
  };
  const transactions = {
    join: async (work: (tx: Tx) => unknown) => {
      open += 1;
      try {
        return await work({} as Tx);
      } finally {
        open -= 1;
      }
    },
  };
  const required = {
    assertAllowed: async () => {
      await step('check the required provider');
      if (isOtherRequired) throw new GatehouseError('sso_required');
    },
  };
  const quota = {
    consumeForRegistration: () => step('count the mail'),
    assertAllowed: () => step('count the mail'),
  };
  const service = new AccountsService(
    unused,
    unused,
    unused,
    required as never,
    unused,
    quota as never,
    unused,
    unused,
    unused,
    transactions as never,
  );
  return { service, steps, step };
}

describe('work that needs an account', () => {
  /** Runs work that needs an admitted account. Returns the result and the recorded steps. */
  async function run(isOtherRequired: boolean, allowSignUp = true) {
    const { service, steps, step } = record(isOtherRequired);
    const work = async (_tx: Tx, admission: Admission | null) => {
      await step('work');
      return admission ? admission.profile : new AccountNeeded('provider', { fields });
    };
    const result = await service.run(projectWith(allowSignUp), work).catch((error) => error.code);
    return { result, steps };
  }

  it('restarts in a new transaction once the account is admitted', async () => {
    expect(await run(false)).toEqual({
      result: { fields },
      steps: [
        'work in a transaction',
        'check the required provider',
        'count the mail',
        'work in a transaction',
      ],
    });
  });

  it('does not restart if the account is rejected', async () => {
    const steps = ['work in a transaction', 'check the required provider'];
    expect(await run(true)).toEqual({ result: 'sso_required', steps });
    expect(await run(false, false)).toEqual({ result: 'sign_up_not_allowed', steps: [steps[0]] });
  });

  it('runs the work only once if it does not need an account', async () => {
    const { service, steps, step } = record();
    expect(await service.run(projectWith(true), () => step('work'))).toBeNull();
    expect(steps).toEqual(['work in a transaction']);
  });
});

describe('account admission', () => {
  const sources = Object.keys(accountSources).filter((name) => name !== 'import');

  /** Returns a rejected account's error code, or null for an admitted one. */
  const admissionError = (source: string, isOtherRequired: boolean, project: ProjectContext, profile = {}) =>
    record(isOtherRequired)
      .service.admit(project, source as Exclude<AccountSource, 'import'>, { fields, ...profile })
      .then(
        () => null,
        (error) => error.code,
      );

  it.each(sources)('applies exactly the rules of the source %s', async (source) => {
    const { rules } = accountSources[source as AccountSource];
    const has = (rule: string) => (rules as readonly string[]).includes(rule);
    const signUp = has('sign_up') ? 'sign_up_not_allowed' : null;
    expect(await admissionError(source, false, projectWith(true))).toBeNull();
    expect(await admissionError(source, false, projectWith(false))).toBe(signUp);
    expect(await admissionError(source, false, projectWith(true), { provider: { allowSignUp: false } })).toBe(
      signUp,
    );
    expect(await admissionError(source, false, projectWith(false), { isBySecretKey: true })).toBeNull();
    expect(await admissionError(source, true, projectWith(true))).toBe(
      has('required_provider') ? 'sso_required' : null,
    );
  });
});

describe('account creation', () => {
  /** Creates an account from a source. @returns the records and emails that result */
  async function create(source: string, profile: object, rejection: object | null = null) {
    const effects: string[] = [];
    const customer = { id: 'customer', projectId: 'project', ...fields, ...profile };
    const service = new AccountsService(
      { insert: () => Promise.resolve(customer) } as never,
      unused,
      unused,
      { assertAllowed: () => Promise.resolve() } as never,
      {
        send: async (_tx: Tx, { kind }: { kind: string }) => void effects.push(`mail ${kind}`),
        sendVerification: async () => {
          effects.push('mail verify-email');
          return { type: 'verification.requested' };
        },
      } as never,
      {
        assertAllowed: () => Promise.resolve(),
        consumeForRegistration: () => Promise.resolve(rejection),
        recordDropped: async () => void effects.push('dropped mail'),
      } as never,
      {
        record: (_tx: Tx, events: { type: string }[]) => effects.push(...events.map(({ type }) => type)),
      } as never,
      {
        record: (_tx: Tx, { action, details }: { action: string; details: object }) =>
          effects.push(`audit ${action} ${JSON.stringify(details)}`),
      } as never,
      unused,
      unused,
    );
    const { isBySecretKey = false, ...more } = profile as { isBySecretKey?: boolean };
    const admitted = { fields: { ...fields, ...more }, isBySecretKey };
    const admission = await service.admit(projectWith(true), source as 'server', admitted);
    await service.countMail(admission);
    expect(await service.create({} as Tx, admission, {})).toBe(customer);
    return effects;
  }

  const created = 'customer.created';
  const audited = 'audit customer.created {}';
  const requested = ['mail verify-email', 'verification.requested'];

  it.each<[source: string, profile: object, effects: string[]]>([
    ['registration', {}, [created, ...requested]],
    ['registration', { isBySecretKey: true }, [created, ...requested, audited]],
    ['server', {}, [created, audited]],
    ['invitation', {}, [created, 'mail accept-invite', audited]],
    ['email', { emailVerified: true }, [created]],
    ['provider', { emailVerified: true }, [created]],
    ['provider', { emailVerified: false }, [created, ...requested]],
    ['legacy', {}, [created, 'audit customer.created {"source":"legacy_sign_in"}']],
  ])('records the effects of the source %s with the profile %j: %j', async (source, profile, effects) => {
    expect(await create(source, profile)).toEqual(effects);
  });

  it('drops a verification email that exceeds a limit, and records the drop', async () => {
    expect(await create('registration', {}, { reason: 'project_limit' })).toEqual([created, 'dropped mail']);
  });
});
