import { randomBytes, randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { Keyring, newTotpSecret } from './platform.js';
import type { TestResponse, TestInstance } from './test-instance.js';
import { totpCode } from './totp.js';
import { uniqueEmail } from './unique-email.js';

export const OPERATOR_COOKIE = '__Host-gatehouse_operator';

/** The header that the console sends with every change. */
export const CONSOLE_HEADER = { 'x-gatehouse-console': '1' };

/** The second factor of an instance's operator. */
interface Enrollment {
  secret: string;
  recoveryCodes: string[];
}

const enrollments = new WeakMap<TestInstance, Map<string, Enrollment>>();

/** A client of an instance's operator API, with an operator's session cookie. */
export class OperatorClient {
  /** Null without a session, for example after a sign-out. */
  cookie: string | null = null;
  /** The authenticator secret, once it is enrolled. */
  secret = '';
  /** The code that confirmed the enrollment. It cannot be used again. */
  enrollmentCode = '';
  recoveryCodes: string[] = [];
  operator!: { id: string; email: string; name: string | null; role: string };

  constructor(readonly instance: TestInstance) {}

  /** @param path below `/operator/v1` @param baseUrl a replica's URL. Default: the first API process */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    baseUrl?: string,
  ): Promise<TestResponse> {
    const response = await this.instance.request(method, `/operator/v1${path}`, {
      body,
      baseUrl,
      headers: {
        ...CONSOLE_HEADER,
        ...(this.cookie === null ? {} : { cookie: `${OPERATOR_COOKIE}=${this.cookie}` }),
        ...headers,
      },
    });
    for (const set of response.headers.getSetCookie()) {
      const [, value] = new RegExp(`^${OPERATOR_COOKIE}=([^;]*)`).exec(set) ?? [];
      if (value !== undefined) this.cookie = value || null;
    }
    return response;
  }

  cookieHeader(): string {
    return `${OPERATOR_COOKIE}=${this.cookie}`;
  }

  /** Returns the cookie for a browser that is already signed in. */
  browserCookie() {
    return {
      name: OPERATOR_COOKIE,
      value: this.cookie!,
      domain: new URL(this.instance.baseUrl).hostname,
      path: '/',
      expires: -1,
      httpOnly: true,
      secure: true,
      sameSite: 'Strict' as const,
    };
  }

  /** Enrolls an authenticator. */
  async enroll(): Promise<TestResponse> {
    const { body } = await this.request('POST', '/session/enrollment');
    this.secret = body.secret as string;
    this.enrollmentCode = totpCode(this.secret);
    const response = await this.request('POST', '/session/enrollment/confirm', { code: this.enrollmentCode });
    if (response.status !== 200) return response;
    this.recoveryCodes = response.body.recoveryCodes as string[];
    this.operator = response.body.session.operator;
    const known = enrollments.get(this.instance) ?? new Map<string, Enrollment>();
    enrollments.set(this.instance, known.set(this.operator.email, this));
    return response;
  }

  /** Sets the time since the session's last reauthentication, or null for none. */
  async setReauthentication(age: string | null): Promise<void> {
    await this.instance.sql(
      `UPDATE operator_sessions SET reauthenticated_at = now() - $2::interval WHERE token_hash = sha256($1)`,
      [this.cookie, age],
    );
  }

  /** Allows sensitive actions until the session ends, so that no test depends on time. */
  async keepReauthenticated(): Promise<void> {
    await this.setReauthentication('-12 hours');
  }
}

/**
 * Inserts an operator who has an authenticator and the seed operator's password, and a reauthenticated session.
 * @param organizationIds the organizations to which the operator is limited
 */
export async function insertOperator(
  instance: TestInstance,
  role = 'admin',
  organizationIds: string[] | null = null,
): Promise<OperatorClient> {
  const client = new OperatorClient(instance);
  client.cookie = randomBytes(32).toString('base64url');
  client.operator = { id: uuid(), email: uniqueEmail(), name: null, role };
  client.secret = newTotpSecret();
  const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
  await instance.sql(
    `WITH inserted AS (
       INSERT INTO operators (id, email, password_hash, role, totp_secret, organization_ids)
       SELECT $1, $2, password_hash, $3, $6, $7 FROM operators WHERE email = $4 RETURNING id)
     INSERT INTO operator_sessions (id, operator_id, token_hash, stage, ends_at, reauthenticated_at)
     SELECT id, id, sha256($5), 'signed_in', now() + interval '12 hours', now() + interval '12 hours'
     FROM inserted`,
    [
      client.operator.id,
      client.operator.email,
      role,
      instance.credentials.operator.email,
      client.cookie,
      keyring.encrypt('totp-secret', client.operator.id, client.secret),
      organizationIds,
    ],
  );
  return client;
}

/**
 * Signs an operator in and reauthenticates. Default: the seed operator. The first sign-in enrolls an authenticator.
 * Later ones use one of its ten recovery codes, because a code from the authenticator is valid only once in 30 s.
 */
export async function signIn(
  instance: TestInstance,
  credentials: { email: string; password: string } = instance.credentials.operator,
): Promise<OperatorClient> {
  const client = new OperatorClient(instance);
  const opened = await client.request('POST', '/session', credentials);
  let response = opened;
  if (opened.body.state === 'enrollment') response = await client.enroll();
  const known = enrollments.get(instance)?.get(credentials.email);
  if (opened.body.state === 'second_factor' && known) {
    client.secret = known.secret;
    client.recoveryCodes = known.recoveryCodes;
    response = await client.request('POST', '/session/second-factor', { code: known.recoveryCodes.shift() });
    client.operator = response.body.operator;
  }
  if (!client.operator) throw new Error(`the sign-in failed: ${JSON.stringify(response.body)}`);
  await client.keepReauthenticated();
  return client;
}

/** Invites an operator with a role, signs in and reauthenticates. `admin` sends the invitation. */
export async function inviteOperator(
  admin: OperatorClient,
  role: string,
): Promise<OperatorClient & { password: string }> {
  const invited = await admin.request('POST', '/operators', { email: uniqueEmail(), role });
  const token = new URLSearchParams(new URL(invited.body.invitationUrl as string).hash.slice(1)).get('token');
  const client = Object.assign(new OperatorClient(admin.instance), { password: `${randomUUID()} phrase` });
  await client.request('POST', '/invitations/accept', { token, password: client.password });
  const response = await client.enroll();
  if (response.status !== 200) throw new Error(`the sign-in failed: ${JSON.stringify(response.body)}`);
  await client.keepReauthenticated();
  return client;
}

/** Returns the commands in the API log that give access to the console, with their messages. */
export const listCommands = (instance: TestInstance): unknown[] =>
  instance.api.log
    .filter(({ command }) => command !== undefined)
    .map(({ message, command }) => [message, command]);
