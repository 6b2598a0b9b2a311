import { randomBytes, randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { Keyring, newTotpSecret } from '@gatehouse/platform';
import type { TestResponse, TestInstance } from './test-instance.js';
import { totpCode } from './totp.js';
import { uniqueEmail } from './unique-email.js';

const COOKIE = '__Host-gatehouse_operator';

/** What every change of the console carries. */
export const CONSOLE_HEADER = { 'x-gatehouse-console': '1' };

/** What an operator of an instance signs in with the second time. */
interface Enrollment {
  secret: string;
  recoveryCodes: string[];
}

const enrollments = new WeakMap<TestInstance, Map<string, Enrollment>>();

/** An operator at the console of an instance, with the cookie that a browser would keep. */
export class OperatorClient {
  /** Null when there is none, as after signing out. */
  cookie: string | null = null;
  /** Of the authenticator, once it is enrolled. */
  secret = '';
  /** The code that proved it, which is used up. */
  enrollmentCode = '';
  recoveryCodes: string[] = [];
  operator!: { id: string; email: string; name: string | null; role: string };

  constructor(readonly instance: TestInstance) {}

  /**
   * @param path below `/operator/v1`
   * @param baseUrl of a replica, if not the first api is meant
   */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    baseUrl?: string,
  ): Promise<TestResponse> {
    const answer = await this.instance.request(method, `/operator/v1${path}`, {
      body,
      baseUrl,
      headers: {
        ...CONSOLE_HEADER,
        ...(this.cookie === null ? {} : { cookie: `${COOKIE}=${this.cookie}` }),
        ...headers,
      },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, value] = new RegExp(`^${COOKIE}=([^;]*)`).exec(set) ?? [];
      if (value !== undefined) this.cookie = value || null;
    }
    return answer;
  }

  cookieHeader(): string {
    return `${COOKIE}=${this.cookie}`;
  }

  /** For a browser that is signed in already. */
  browserCookie() {
    return {
      name: COOKIE,
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
    const answer = await this.request('POST', '/session/enrollment/confirm', { code: this.enrollmentCode });
    if (answer.status !== 200) return answer;
    this.recoveryCodes = answer.body.recoveryCodes as string[];
    this.operator = answer.body.session.operator;
    const known = enrollments.get(this.instance) ?? new Map<string, Enrollment>();
    enrollments.set(this.instance, known.set(this.operator.email, this));
    return answer;
  }
}

/** Inserts an operator with an authenticator and the seed operator's password, who is signed in already. */
export async function insertOperator(instance: TestInstance, role = 'admin'): Promise<OperatorClient> {
  const client = new OperatorClient(instance);
  client.cookie = randomBytes(32).toString('base64url');
  client.operator = { id: uuid(), email: uniqueEmail(), name: null, role };
  client.secret = newTotpSecret();
  const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
  await instance.sql(
    `WITH made AS (
       INSERT INTO operators (id, email, password_hash, role, totp_secret)
       SELECT $1, $2, password_hash, $3, $6 FROM operators WHERE email = $4 RETURNING id)
     INSERT INTO operator_sessions (id, operator_id, token_hash, stage, ends_at)
     SELECT id, id, sha256($5), 'signed_in', now() + interval '12 hours' FROM made`,
    [
      client.operator.id,
      client.operator.email,
      role,
      instance.credentials.operator.email,
      client.cookie,
      keyring.encrypt('totp-secret', client.operator.id, client.secret),
    ],
  );
  return client;
}

/**
 * Signs an operator in: the one of the seed, unless told. The first time an authenticator is enrolled; after that it
 * takes one of the ten recovery codes, because each code of an authenticator is good once in 30 s.
 */
export async function signIn(
  instance: TestInstance,
  credentials: { email: string; password: string } = instance.credentials.operator,
): Promise<OperatorClient> {
  const client = new OperatorClient(instance);
  const opened = await client.request('POST', '/session', credentials);
  let answer = opened;
  if (opened.body.state === 'enrollment') answer = await client.enroll();
  const known = enrollments.get(instance)?.get(credentials.email);
  if (opened.body.state === 'second_factor' && known) {
    client.secret = known.secret;
    client.recoveryCodes = known.recoveryCodes;
    answer = await client.request('POST', '/session/second-factor', { code: known.recoveryCodes.shift() });
    client.operator = answer.body.operator;
  }
  if (!client.operator) throw new Error(`nobody is signed in: ${JSON.stringify(answer.body)}`);
  return client;
}

/** A new operator of a role, signed in; `admin` invites them. */
export async function inviteOperator(
  admin: OperatorClient,
  role: string,
): Promise<OperatorClient & { password: string }> {
  const invited = await admin.request('POST', '/operators', { email: uniqueEmail(), role });
  const token = new URLSearchParams(new URL(invited.body.invitationUrl as string).hash.slice(1)).get('token');
  const client = Object.assign(new OperatorClient(admin.instance), { password: `${randomUUID()} phrase` });
  await client.request('POST', '/invitations/accept', { token, password: client.password });
  const answer = await client.enroll();
  if (answer.status !== 200) throw new Error(`nobody is signed in: ${JSON.stringify(answer.body)}`);
  return client;
}
