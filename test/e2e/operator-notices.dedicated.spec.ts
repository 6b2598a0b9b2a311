import { Keyring, renderMail, type MailKind } from '@gatehouse/platform';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertOperator, OperatorClient } from '../support/operator-client.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let admin: OperatorClient;
let keyring: Keyring;
beforeAll(async () => {
  // The emails are read from the database, because it contains all of them when the response arrives.
  instance = await TestInstance.start({ workers: 0, env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
  keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
  admin = await insertOperator(instance);
  await instance.sql(`UPDATE operators SET role = 'viewer' WHERE id <> $1`, [admin.operator.id]);
});
afterAll(async () => instance?.stop());
afterEach(() => instance.sql('DELETE FROM mails'));

/** Returns the emails that were created since the last call, rendered, with their kinds, by recipient. */
async function takeMails() {
  const rows = await instance.sql<{ id: string; kind: MailKind; recipient: string; parameters: Buffer }>(
    'DELETE FROM mails RETURNING id, kind, recipient, parameters',
  );
  return rows
    .map((mail) => ({ kind: mail.kind, ...renderMail(mail, keyring, instance.baseUrl) }))
    .sort((one, other) => (one.to < other.to ? -1 : 1));
}

/** Returns the headings of the notices that were created since the last call; fails for another recipient. */
async function takeOwnNotices({ operator: { email } }: OperatorClient): Promise<string[]> {
  const mails = await takeMails();
  expect(mails.map(({ to, link }) => [to, link])).toEqual(mails.map(() => [email, null]));
  for (const { text } of mails) expect(text).toMatch(/ at \d\d:\d\d UTC, from the address 127\.0\.0\.1\./);
  return mails.map(({ subject }) => subject.split(':')[0]!).sort();
}

const send = (path: string, body?: unknown, client = admin): Promise<TestResponse> =>
  client.request(path.startsWith('PATCH ') ? 'PATCH' : 'POST', path.replace('PATCH ', ''), body);

describe('OP-01: an action of an admin on an operator', () => {
  it('notifies all admins and the operator by email: who did what to whom, when and from which address', async () => {
    const other = await insertOperator(instance);
    await insertOperator(instance, 'operator');
    const target = await insertOperator(instance, 'viewer');
    const path = `/operators/${target.operator.id}`;
    const [actor, subject] = [admin.operator.email, target.operator.email];
    for (const [request, body, sentence] of [
      [`PATCH ${path}`, { role: 'admin' }, `${actor} changed the role of ${subject} from viewer to admin`],
      [`PATCH ${path}`, { role: 'viewer' }, `${actor} changed the role of ${subject} from admin to viewer`],
      [`${path}/reset-second-factor`, undefined, `${actor} reset the second factor of ${subject}`],
      [
        `${path}/invite-again`,
        undefined,
        `${actor} created a link with which ${subject} can set a new password`,
      ],
      [`${path}/disable`, undefined, `${actor} disabled ${subject}`],
      [`${path}/enable`, undefined, `${actor} enabled ${subject}`],
    ] as const) {
      expect((await send(request, body)).status).toBe(200);
      const notices = (await takeMails()).filter(({ kind }) => kind === 'operator-notice');
      expect(notices.map(({ to }) => to)).toEqual([actor, other.operator.email, subject].sort());
      for (const { text, link } of notices) {
        expect(text).toContain(`${sentence} on `);
        expect(text).toMatch(/ at \d\d:\d\d UTC, from the address 127\.0\.0\.1\./);
        expect([link, /https?:/.test(text)]).toEqual([null, false]);
      }
    }
  });

  it('notifies the admins of an invitation, whose link only the new operator gets', async () => {
    const email = uniqueEmail();
    const invited = await send('/operators', { email, role: 'operator' });
    expect(invited).toMatchObject({ status: 201, body: { email, invitationUrl: null } });
    const mails = await takeMails();
    const [invitation] = mails.filter(({ to }) => to === email);
    expect(invitation).toMatchObject({ kind: 'operator-invitation' });
    const notices = mails.filter((mail) => mail !== invitation);
    expect(notices.map(({ to }) => to)).toContain(admin.operator.email);
    const token = new URL(invitation!.link!).hash.slice('#token='.length);
    for (const { text } of notices) {
      expect(text).toContain(`${admin.operator.email} invited ${email} to the console as operator on `);
      expect(text).not.toContain(token);
    }
    const again = await send(`/operators/${invited.body.id}/invite-again`);
    expect(again).toMatchObject({ status: 200, body: { invitationUrl: null } });
    const links = (await takeMails()).filter(({ link }) => link !== null);
    expect(links.map(({ to }) => to)).toEqual([email]);
  });

  it('notifies of nothing if nothing has changed or the action is rejected', async () => {
    const target = await insertOperator(instance, 'viewer');
    const path = `/operators/${target.operator.id}`;
    expect((await send(`PATCH ${path}`, { role: 'viewer', name: 'Ada' })).status).toBe(200);
    expect((await send(`${path}/enable`)).status).toBe(200);
    expect((await send(`/operators/${admin.operator.id}/disable`)).status).toBe(409);
    expect(await takeMails()).toEqual([]);
  });
});

describe('OP-01: an operator', () => {
  const version = (major: number) => `Mozilla/5.0 (X11; Linux x86_64; rv:${major}.0) Firefox/${major}.0`;
  /** Signs in with a browser. @returns the new session */
  const signInWith = async (
    userAgent: string,
    { operator: { id, email }, secret }: OperatorClient,
  ): Promise<OperatorClient> => {
    const client = Object.assign(new OperatorClient(instance), { operator: { id, email }, secret });
    const { password } = instance.credentials.operator;
    const headers = { 'user-agent': userAgent };
    await client.request('POST', '/session', { email, password }, headers);
    await instance.sql('UPDATE operators SET totp_step = 0 WHERE id = $1', [id]);
    const code = { code: totpCode(secret) };
    const { status } = await client.request('POST', '/session/second-factor', code, headers);
    expect(status).toBe(200);
    return client;
  };

  it('is notified of a sign-in from a new address or with a new browser, not with a new version', async () => {
    const owner = await insertOperator(instance, 'viewer');
    await signInWith(version(140), owner);
    expect(await takeOwnNotices(owner)).toEqual(['New sign-in']);
    await signInWith(version(141), owner);
    expect(await takeOwnNotices(owner)).toEqual([]);
    await signInWith('curl/8.5.0', owner);
    expect(await takeOwnNotices(owner)).toEqual(['New sign-in']);
    await signInWith(version(142), owner);
    expect(await takeOwnNotices(owner)).toEqual([]);

    const update = (set: string) =>
      instance.sql(`UPDATE operator_addresses SET ${set} WHERE operator_id = $1`, [owner.operator.id]);
    await update(`address_block = '203.0.113.5'`);
    await signInWith(version(142), owner);
    expect(await takeOwnNotices(owner)).toEqual(['New sign-in']);
    // The browsers of an address that was stored by an earlier version are unknown.
    await update(`browsers = '{}'`);
    await signInWith(version(142), owner);
    expect(await takeOwnNotices(owner)).toEqual([]);
  });

  it('is notified of a new password, new or used recovery codes and a new authenticator', async () => {
    const owner = await signInWith(version(140), await insertOperator(instance, 'viewer'));
    await takeMails();
    const { password } = instance.credentials.operator;
    const newPassword = 'an unusual long phrase';
    await send('/session/password', { currentPassword: password, newPassword }, owner);
    expect(await takeOwnNotices(owner)).toEqual(['Password changed']);

    const renewed = await send('/session/recovery-codes', { code: totpCode(owner.secret, 1) }, owner);
    const [code, replacementCode] = renewed.body.recoveryCodes as string[];
    expect(await takeOwnNotices(owner)).toEqual(['Recovery codes replaced']);
    await send('/session/reauthenticate', { code }, owner);
    expect(await takeOwnNotices(owner)).toEqual(['Recovery code used']);

    const { secret } = (await send('/session/enrollment/replace', { code: replacementCode }, owner)).body;
    await send('/session/enrollment/confirm', { code: totpCode(secret as string) }, owner);
    expect(await takeOwnNotices(owner)).toEqual(['Authenticator app set up', 'Recovery code used']);
  });

  it('is notified when a link of an admin sets another password', async () => {
    const owner = await insertOperator(instance, 'viewer');
    await send(`/operators/${owner.operator.id}/invite-again`);
    const { link } = (await takeMails()).find(({ kind }) => kind === 'operator-invitation')!;
    const token = new URL(link!).hash.slice('#token='.length);
    const client = new OperatorClient(instance);
    const accepted = await send('/invitations/accept', { token, password: 'an unusual long phrase' }, client);
    expect(accepted.status).toBe(200);
    expect(await takeOwnNotices(owner)).toEqual(['Password changed']);
  });
});
