import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import bcrypt from 'bcrypt';
import { Webhook } from 'standardwebhooks';
import { toNdjson } from './ndjson.js';
import { randomTotpSecret } from './totp.js';

/** A user in the previous system. */
export interface PreviousUser {
  /** The `sub` in the previous system's tokens, such as `auth0|64a1…`. */
  id: string;
  email: string;
  firstName: string;
  password: string;
  /** The authenticator app's secret, or null without a second factor. */
  totpSecret: string | null;
  isBlocked: boolean;
  updatedAt: Date;
}

/** An active session in the previous system. */
export interface PreviousSession {
  userId: string;
  signedInAt: string;
  methods: string[];
}

const PASSWORDS = Array.from({ length: 20 }, (_, index) => `an unusual long phrase ${index}`);
const DAY = 86_400_000;

/** An in-memory stand-in for Auth0. It has users and sessions, verifies passwords and exports its users. */
export class Auth0StandIn {
  readonly users: PreviousUser[] = [];
  readonly secret = `whsec_${randomBytes(32).toString('base64')}`;
  /** Email addresses for which Gatehouse has sent a password to this system. */
  readonly verified: string[] = [];
  private readonly byEmail = new Map<string, PreviousUser>();
  private readonly sessions = new Map<string, PreviousSession>();
  private readonly hashes = new Map<string, string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Auth0StandIn> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const system = new Auth0StandIn(server);
    server.on('request', (request, response) => {
      void system.handle(request, response).catch(() => response.writeHead(500).end());
    });
    return system;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The `legacySignIn` setting. */
  get setting(): { url: string; secret: string } {
    return { url: `${this.url}/verify`, secret: this.secret };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Registers a user. Every seventh has an authenticator app. */
  register(): PreviousUser {
    const count = this.users.length;
    const user: PreviousUser = {
      id: `auth0|${randomUUID().replaceAll('-', '').slice(0, 24)}`,
      email: `person-${count}@rehearsal.example`,
      firstName: `Person ${count}`,
      password: PASSWORDS[count % PASSWORDS.length]!,
      totpSecret: count % 7 === 0 ? randomTotpSecret() : null,
      isBlocked: false,
      updatedAt: new Date(),
    };
    this.users.push(user);
    this.byEmail.set(user.email, user);
    return user;
  }

  /** Opens a session that began up to 60 days ago. @returns its cookie */
  openSession({ id, totpSecret }: PreviousUser): string {
    const cookie = randomUUID();
    const signedInAt = new Date(Date.now() - (this.sessions.size % 60) * DAY - 60_000).toISOString();
    this.sessions.set(cookie, { userId: id, signedInAt, methods: totpSecret ? ['pwd', 'otp'] : ['pwd'] });
    return cookie;
  }

  findSession(cookie: string): PreviousSession | null {
    return this.sessions.get(cookie) ?? null;
  }

  changePassword(user: PreviousUser): void {
    user.password = `changed: ${user.password}`;
    user.updatedAt = new Date();
  }

  rename(user: PreviousUser): void {
    user.firstName = `Renamed ${user.firstName}`;
    user.updatedAt = new Date();
  }

  /** Blocks a user, which ends their sessions. */
  block(user: PreviousUser): void {
    user.isBlocked = true;
    user.updatedAt = new Date();
    for (const [cookie, { userId }] of this.sessions) if (userId === user.id) this.sessions.delete(cookie);
  }

  /** Returns the export files with users and passwords, by file name. */
  exportFiles(): Record<'users.json' | 'passwords.json', string> {
    const created = '2021-03-04T05:06:07.000Z';
    return {
      'users.json': toNdjson(
        this.users.map(({ id, email, firstName, totpSecret, isBlocked, updatedAt }) => ({
          ...{ user_id: id, email, email_verified: true, given_name: firstName, created_at: created },
          updated_at: updatedAt.toISOString(),
          identities: [
            { provider: 'auth0', user_id: id.split('|')[1], connection: 'Users', isSocial: false },
          ],
          ...(totpSecret && { mfa_factors: [{ totp: { secret: totpSecret } }] }),
          ...{ blocked: isBlocked, multifactor: [], app_metadata: {}, user_metadata: {} },
        })),
      ),
      'passwords.json': toNdjson(
        this.users.map(({ id, email, password }) => ({
          ...{ _id: { $oid: id.split('|')[1] }, email, email_verified: true, connection: 'Users' },
          passwordHash: this.hash(password),
        })),
      ),
    };
  }

  private hash(password: string): string {
    const hash = this.hashes.get(password) ?? bcrypt.hashSync(password, 4);
    this.hashes.set(password, hash);
    return hash;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (path.startsWith('/sessions/')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.findSession(path.slice('/sessions/'.length))));
      return;
    }
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const credentials = new Webhook(this.secret).verify(body, request.headers as Record<string, string>);
    const { email, password } = credentials as { email: string; password: string };
    this.verified.push(email);
    const user = this.byEmail.get(email);
    if (!user || user.isBlocked || user.password !== password) {
      response.writeHead(401).end();
      return;
    }
    const { id: externalId, firstName } = user;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ email, emailVerified: true, externalId, firstName }));
  }
}
