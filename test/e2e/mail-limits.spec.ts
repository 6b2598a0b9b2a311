import { enrollTotp } from '../support/customer-factors.js';
import { expectStatus } from '../support/customers.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { insertProject, type Tenant } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

/** Inserts a project, so that every test has its own limits. */
async function createProject(settings: object = {}): Promise<Tenant> {
  const tenant = await insertProject(instance, instance.credentials.organizationId);
  const path = `/api/v1/projects/${tenant.projectId}`;
  expectStatus(200, await instance.requestWithSecretKey('PATCH', path, { settings }));
  return tenant;
}

const sendPublic = ({ publishableKey }: Tenant, path: string, body: object): Promise<TestResponse> =>
  instance.request('POST', `/api/v1/auth/${path}`, {
    body,
    headers: { 'x-publishable-key': publishableKey },
  });
const register = (project: Tenant, email = uniqueEmail()): Promise<TestResponse> =>
  sendPublic(project, 'register', { email, password: PASSWORD });
const forgot = (project: Tenant, email: string): Promise<TestResponse> =>
  sendPublic(project, 'forgot-password', { email });
const create = ({ secretKey }: Tenant, body: object): Promise<TestResponse> =>
  instance.requestWithBearer(secretKey, 'POST', '/api/v1/customers', body);

/** Creates a customer with a verified address and a session, without sending an email. */
async function createVerified(project: Tenant) {
  const email = uniqueEmail();
  expectStatus(201, await create(project, { email, password: PASSWORD, emailVerified: true }));
  const { tokens } = expectStatus(
    200,
    await sendPublic(project, 'login', { email, password: PASSWORD }),
  ).body;
  return { email, accessToken: tokens.accessToken as string };
}
const changeEmail = (accessToken: string, email: string): Promise<TestResponse> =>
  instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/email', { email, password: PASSWORD });

/** Returns the kind and state of each email in the log, oldest first, with the reason if it was dropped. */
async function listLog({ secretKey }: Tenant, query: Record<string, string> = {}): Promise<string[]> {
  const path = `/api/v1/mails?${new URLSearchParams(query)}`;
  const { data } = expectStatus(200, await instance.requestWithBearer(secretKey, 'GET', path)).body;
  return (data as { kind: string; state: string; reason: string | null }[])
    .map(({ kind, state, reason }) => [kind, state, ...(reason ? [reason] : [])].join(' '))
    .reverse();
}

describe('the email limit', () => {
  it('MQ-01: counts emails to verified customers, invitations and other emails separately', async () => {
    const project = await createProject({ mailLimits: { signUp: 1, passwordReset: 1, emailChange: 1 } });
    const [owner, imported] = [await createVerified(project), uniqueEmail()];
    expectStatus(201, await create(project, { email: imported, password: PASSWORD }));
    const otherEmails = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    const registered = [];
    for (const email of otherEmails) registered.push(expectStatus(201, await register(project, email)).body);
    expect(await forgot(project, imported)).toMatchObject({ status: 202 });
    expect(await listLog(project, { email: imported })).toEqual(['reset-password queued']);
    for (const email of otherEmails) expect(await forgot(project, email)).toMatchObject({ status: 202 });
    const rejected = await changeEmail(registered[1].tokens.accessToken, uniqueEmail());
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited', limit: 'mail-project' } });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(rejected.headers.get('ratelimit-policy')).toBe('"mail-project";q=1;w=3600');
    expect(await listLog(project, { state: 'queued' })).toEqual([
      'verify-email queued',
      'reset-password queued',
    ]);
    expect((await listLog(project, { state: 'dropped' })).sort()).toEqual([
      ...Array<string>(3).fill('reset-password dropped project_limit'),
      ...Array<string>(2).fill('verify-email dropped project_limit'),
    ]);

    expect(await forgot(project, owner.email)).toMatchObject({ status: 202 });
    const [newEmail, guest] = [uniqueEmail(), uniqueEmail()];
    expect(await changeEmail(owner.accessToken, newEmail)).toMatchObject({ status: 202 });
    expect(await create(project, { email: guest, sendInvite: true })).toMatchObject({ status: 201 });
    expect(await listLog(project, { email: owner.email })).toEqual([
      'reset-password queued',
      'change-email-current queued',
    ]);
    expect(await listLog(project, { email: newEmail })).toEqual(['change-email-new queued']);
    expect(await listLog(project, { email: guest })).toEqual(['accept-invite queued']);
  });

  it("MQ-01: does not block the owner's password reset after another customer's email change", async () => {
    const project = await createProject({ enumerationProtection: true, mailLimits: { perRecipient: 1 } });
    const [owner, other] = [await createVerified(project), await createVerified(project)];
    expect(await changeEmail(other.accessToken, owner.email)).toMatchObject({ status: 202 });
    expect(await instance.listMailKinds(owner.email)).toEqual(['already-registered']);
    await forgot(project, owner.email);
    expect(await instance.listMailKinds(owner.email)).toContain('reset-password');
  });

  it('MQ-01: appears in the log of emails even if enumeration protection hides it in responses', async () => {
    const project = await createProject({ enumerationProtection: true, mailLimits: { perRecipient: 1 } });
    const [first, second] = [await createVerified(project), await createVerified(project)];
    const requestedEmail = uniqueEmail();
    expect(await changeEmail(first.accessToken, requestedEmail)).toMatchObject({ status: 202 });
    expect(await changeEmail(second.accessToken, requestedEmail)).toMatchObject({ status: 202 });
    expect(await listLog(project, { email: requestedEmail })).toEqual([
      'change-email-new queued',
      'change-email-new dropped recipient_limit',
    ]);
  });

  it('MQ-02: counts +tag forms as one recipient, but registrations and resets separately', async () => {
    const project = await createProject();
    const { email } = await createVerified(project);
    const tagged = Array.from({ length: 6 }, (_, index) => email.replace('@', `+${index}@`));
    for (const address of tagged) expect(await register(project, address)).toMatchObject({ status: 201 });
    const kinds = await Promise.all(tagged.map((address) => instance.listMailKinds(address)));
    expect(kinds.flat()).toHaveLength(5);
    expect(await listLog(project, { email: tagged[5]! })).toEqual(['verify-email dropped recipient_limit']);
    await forgot(project, email);
    expect(await instance.listMailKinds(email)).toEqual(['reset-password']);
  });

  it("MQ-02: applies to a key's invitation to a +tag form, so that the customer is not created", async () => {
    const project = await createProject({ mailLimits: { perRecipient: 1 } });
    const email = uniqueEmail();
    const tagged = email.replace('@', '+again@');
    expect(await create(project, { email, sendInvite: true })).toMatchObject({ status: 201 });
    const rejected = await create(project, { email: tagged, sendInvite: true });
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited', limit: 'mail-recipient' } });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await create(project, { email: tagged })).toMatchObject({ status: 201 });
  });

  it('MQ-01: drops repeated emails without revealing it, and logs at most five of them', async () => {
    const project = await createProject();
    const { email } = await createVerified(project);
    const known = await Promise.all(Array.from({ length: 8 }, () => forgot(project, email)));
    const unknown = await forgot(project, uniqueEmail());
    for (const { status, body } of known) expect([status, body]).toEqual([unknown.status, unknown.body]);
    expect((await listLog(project, { email })).sort()).toEqual([
      ...Array<string>(5).fill('reset-password dropped too_soon'),
      'reset-password queued',
    ]);
  });

  it('applies to notices that a customer can trigger to an unverified address', async () => {
    const project = await createProject({ mailLimits: { perRecipient: 1 }, mfa: 'optional' });
    const email = uniqueEmail();
    const { tokens, customer } = (await register(project, email)).body;
    for (const [currentPassword, newPassword] of [
      [PASSWORD, 'quite another phrase'],
      ['quite another phrase', PASSWORD],
    ]) {
      const passwords = { currentPassword, newPassword };
      const changed = await instance.requestWithAccessToken(
        tokens.accessToken,
        'POST',
        '/api/v1/me/password',
        passwords,
      );
      expect(changed).toMatchObject({ status: 204 });
    }
    expect(await listLog(project, { email, kind: 'password-changed' })).toEqual([
      'password-changed queued',
      'password-changed dropped recipient_limit',
    ]);
    await enrollTotp(instance, { id: customer.id, email, tokens });
    expect(await listLog(project, { email, kind: 'factor-added' })).toEqual([
      'factor-added dropped recipient_limit',
    ]);
  });

  it("MF-07: counts codes for unknown addresses as sign-ups, separately from customers' codes", async () => {
    const project = await createProject({
      signIn: { emailCode: true },
      mailLimits: { signUp: 1, signIn: 1 },
    });
    const [unverified, { email }] = [uniqueEmail(), await createVerified(project)];
    expectStatus(201, await create(project, { email: unverified }));
    for (const address of [uniqueEmail(), uniqueEmail(), unverified, email, email])
      expectStatus(202, await sendPublic(project, 'email-code', { email: address }));
    expect(await listLog(project)).toEqual([
      'email-code queued',
      'email-code queued',
      'email-code queued',
      // Each customer with a verified address still receives a code.
      'email-code queued',
    ]);
    expectStatus(202, await sendPublic(project, 'email-code', { email }));
    expect(await listLog(project, { email, state: 'dropped' })).toEqual(['email-code dropped project_limit']);
  });

  it('follows the validation and merge rules of other settings', async () => {
    const { projectId } = await createProject({ mailLimits: { signUp: 10 } });
    const patch = (mailLimits: unknown) =>
      instance.requestWithSecretKey('PATCH', `/api/v1/projects/${projectId}`, { settings: { mailLimits } });
    expect((await patch({ perRecipient: 9 })).body.settings.mailLimits).toEqual({
      signUp: 10,
      passwordReset: 2000,
      emailChange: 2000,
      invitation: 2000,
      signIn: 10_000,
      perRecipient: 9,
    });
    expect((await patch({ signUp: null })).body.settings.mailLimits).toMatchObject({
      signUp: 2000,
      perRecipient: 9,
    });
    for (const invalid of [{ signUp: 0 }, { perRecipient: 1001 }, { invitation: '5' }, { notice: 1 }]) {
      expect(await patch(invalid)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });
});
