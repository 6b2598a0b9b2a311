import { TestInstance } from '../support/test-instance.js';
import { listCommands, OperatorClient, signIn } from '../support/operator-client.js';
import { createOperatorLink } from '../support/run-gatehouse.js';
import { uniqueEmail } from '../support/unique-email.js';

const PASSWORD = 'an unusual long phrase';
const settings = { OPERATOR_EMAIL: 'Ops@Example.com', OPERATOR_PASSWORD: PASSWORD };

describe('CO-01: an instance without operators', () => {
  let instance: TestInstance;
  beforeAll(async () => (instance = await TestInstance.start({ workers: 0, env: { SEED: 'off' } })));
  afterAll(async () => instance?.stop());

  const getToken = ({ hash }: URL): string => hash.slice('#token='.length);
  const setUp = (token: string, email = uniqueEmail(), client = new OperatorClient(instance)) =>
    client.request('POST', '/setup', { token, email, name: 'Ada', password: PASSWORD });

  it('has no default account, and logs the command for a link that creates one operator', async () => {
    const client = new OperatorClient(instance);
    expect((await client.request('GET', '/session')).body).toEqual({
      state: 'signed_out',
      operator: null,
      expiresAt: null,
      expiresIn: null,
      endsIn: null,
      method: null,
      isReauthenticated: false,
      hasSecondFactor: false,
      factors: [],
      passkeysAvailable: false,
      maySkipEnrollment: false,
      setupRequired: true,
      singleSignOn: null,
      server: null,
      preferences: null,
    });
    expect(await instance.sql('SELECT * FROM operators')).toEqual([]);
    expect(listCommands(instance)).toEqual([['no operator exists', 'npm run gatehouse -- operator-link']]);
    const voided = await createOperatorLink(instance);
    const link = await createOperatorLink(instance);
    expect(link.href).toMatch(
      new RegExp(`^${instance.baseUrl}/console/setup#token=command[.][A-Za-z0-9_-]{43}$`),
    );
    expect(instance.api.output).not.toContain('/console/setup');
    expect(
      await instance.sql(
        `SELECT round(extract(epoch FROM expires_at - now()) / 3600)::int AS hours,
      token_hash = sha256($1::bytea) AS "isHash" FROM operator_links`,
        [getToken(link)],
      ),
    ).toEqual([{ hours: 1, isHash: true }]);
    expect((await setUp(getToken(voided))).status).toBe(400);

    const other = getToken(link).replace(/^./, (first) => (first === 'x' ? 'y' : 'x'));
    expect((await setUp(other)).status).toBe(400);
    const clients = [1, 2, 3].map(() => new OperatorClient(instance));
    const responses = await Promise.all(clients.map((each) => setUp(getToken(link), uniqueEmail(), each)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const first = clients[responses.findIndex(({ status }) => status === 200)]!;
    await first.enroll();
    expect((await first.request('GET', '/session')).body).toMatchObject({
      state: 'signed_in',
      operator: { name: 'Ada', role: 'admin' },
      setupRequired: false,
      server: {
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        production: false,
        mailbox: true,
        mailConfigured: false,
        docs: true,
      },
    });
    expect((await first.request('GET', '/audit-log')).body.data).toMatchObject([
      { action: 'operator.signed_in' },
      { action: 'operator.second_factor_enrolled' },
      { action: 'operator.created', actorType: 'operator', actorId: first.operator.id },
      // The command has created two links, and each is recorded.
      ...Array(2).fill({ action: 'operator.invited', actorType: 'system', details: { by: 'command' } }),
    ]);
  });

  it('logs no command once an operator exists, and no link or setting creates a second operator', async () => {
    await instance.sql(`INSERT INTO operator_links (token_hash, expires_at)
                     VALUES (sha256('a link from an earlier start'), now() + interval '1 hour')`);
    expect(await setUp('a link from an earlier start')).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
    await instance.api.stop('SIGTERM');
    instance.startApi(settings);
    await instance.waitUntilReady();
    expect(listCommands(instance)).toEqual([]);
    expect(await instance.sql('SELECT 1 FROM operators')).toHaveLength(1);
  });

  it('does not start with a common OPERATOR_PASSWORD, and logs the reason without the password', async () => {
    await instance.sql('DELETE FROM operator_sessions');
    await instance.sql('DELETE FROM operators');
    await instance.api.stop('SIGTERM');
    const api = instance.startApi({ ...settings, OPERATOR_PASSWORD: 'passwordpassword' });
    expect(await api.waitForExit()).not.toBe(0);
    expect(api.output).toContain('OPERATOR_PASSWORD is too weak. This password is too common');
    expect(api.output).not.toContain('passwordpassword');
  });

  it('creates its first operator from OPERATOR_EMAIL and OPERATOR_PASSWORD', async () => {
    instance.startApi(settings);
    await instance.waitUntilReady();
    expect(listCommands(instance)).toEqual([]);
    const client = await signIn(instance, { email: 'ops@example.com', password: PASSWORD });
    expect(client.operator).toMatchObject({ email: 'ops@example.com', role: 'admin' });
  });
});
