import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { Auth0StandIn, type PreviousUser } from '../support/auth0-stand-in.js';
import { parseLines, runCli } from '../support/cli.js';
import { refreshSession, type Tokens } from '../support/customers.js';
import { DocumentFolder } from '../support/document-folder.js';
import { writeFiles } from '../support/moving-in.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { freePort } from '../support/server-process.mjs';
import { insertKey } from '../support/tenants.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';

const PEOPLE = 10_000;
/** Number of people who register between the first and the last export. */
const LATE = 200;
/** Number of application instances, which are replaced one by one. */
const INSTANCES = 4;
const CONCURRENCY = 24;
/** Time after which a hung test ends. It is not a performance limit. */
const MAX_DURATION_MS = 3_600_000;

/** Replaces the documentation's file with one that reads the stand-in's sessions. */
const oldSessionFile = `
export async function readOldSession(cookies) {
  const id = /(?:^|; )old_session=([\\w-]+)/.exec(cookies ?? '')?.[1];
  return id ? (await fetch(process.env.OLD_SYSTEM + '/sessions/' + id)).json() : null;
}
export const clearOldSession = 'old_session=; Path=/; Max-Age=0';
`;

/** A user of the previous system and their browser, which may have a live session's cookie. */
interface Person {
  user: PreviousUser;
  cookie: string | null;
  tokens: Tokens | null;
}

let instance: TestInstance;
let system: Auth0StandIn;
let document: DocumentFolder;
let application: string;
let folder: string;
beforeAll(async () => {
  instance = await TestInstance.start({ env: { RATE_LIMITS: 'off' } });
  system = await Auth0StandIn.start();
  folder = await writeFiles({});
  document = await DocumentFolder.create('docs/moving-in/live-sessions.md');
  await document.write('old-session.mjs', oldSessionFile);
  const { projectId } = instance.credentials;
  const settings = { tokenSubject: 'externalId', mfa: 'optional', legacySignIn: system.setting };
  const patched = await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${projectId}`, { settings });
  expect(patched.status).toBe(200);
  const scopes = ['customer:read', 'customer:write', 'session:migrate'];
  const port = await freePort();
  application = `http://127.0.0.1:${port}`;
  await document.start([process.execPath, 'express-migration.mjs'], application, {
    GATEHOUSE_URL: instance.baseUrl,
    GATEHOUSE_PROJECT_ID: projectId,
    GATEHOUSE_MIGRATION_KEY: await insertKey(instance, { ...instance.credentials, type: 'secret', scopes }),
    OLD_SYSTEM: system.url,
    PORT: String(port),
  });
});
afterAll(async () => {
  await document?.close();
  await instance?.stop();
  await system?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Registers a person, seven out of ten with a live session. */
function addPerson(): Person {
  const user = system.register();
  const isSignedIn = system.users.length % 10 < 7;
  return { user, cookie: isSignedIn ? system.openSession(user) : null, tokens: null };
}

/** Imports the previous system's current users. @returns the exit code and the command's result */
async function importUsers(...options: string[]): Promise<Record<string, number>> {
  const files = system.exportFiles();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const args = ['--json', 'customers', 'import', '--from', 'auth0', ...Object.keys(files), ...options];
  const { code, stdout, stderr } = await runCli(instance, args, { cwd: folder });
  const [result] = parseLines(stdout);
  if (!result) throw new Error(stderr);
  return { code, ...(result as Record<string, number>) };
}

/** Visits an application instance before the switch. @returns the signed-in user's id, or null */
const visitBefore = ({ cookie }: Person): string | null => system.findSession(cookie ?? '')?.userId ?? null;

/** Visits an instance that uses Gatehouse. @returns the signed-in customer's `sub`, or null */
async function visitAfter(person: Person): Promise<string | null> {
  if (person.tokens) {
    const { body } = await refreshSession(instance, person.tokens.refreshToken);
    person.tokens = body.tokens ?? null;
  } else {
    const headers = { cookie: `old_session=${person.cookie}` };
    const response = await fetch(`${application}/migrate-session`, { method: 'POST', headers });
    const { token } = (await response.json()) as { token: string | null };
    if (token) person.tokens = (await post('sign-in-token', { token })).body.tokens;
  }
  if (!person.tokens) return null;
  const { accessToken } = person.tokens;
  const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
  return me.body.email === person.user.email ? (decodeJwt(accessToken).sub ?? null) : null;
}

const post = (path: string, body: object): Promise<TestResponse> =>
  retryWhileRejected(() => instance.requestWithPublishableKey('POST', `/api/v1/auth/${path}`, body));

/**
 * Signs a person in with the current password and, if required, an authenticator code. @returns the `sub`, or the
 * error code
 */
async function signIn({ user: { email, password, totpSecret } }: Person): Promise<string> {
  let { body } = await post('login', { email, password });
  if (body.challenge)
    ({ body } = await post('challenge/totp', {
      ...{ challengeToken: body.challenge.token, code: totpCode(totpSecret!) },
    }));
  return body.tokens ? decodeJwt(body.tokens.accessToken).sub! : body.code;
}

/** Runs an action for each person, several at a time. @returns the people for whom it did not return their id */
const listLost = (
  people: Person[],
  action: (person: Person) => Promise<string | null> | string | null,
): Promise<string[]> =>
  runInChunks(
    people,
    async (person) => {
      const sub = await action(person);
      return sub === person.user.id ? [] : [`${person.user.id}: ${sub}`];
    },
    CONCURRENCY,
  );

it(
  '10,000 people move under load: all keep their account and sub, and stay signed in',
  async () => {
    const people = Array.from({ length: PEOPLE - LATE }, addPerson);
    expect(await importUsers('--dry-run')).toMatchObject({ code: 0, failed: 0, skipped: 0 });
    expect(await importUsers()).toMatchObject({ code: 0, created: people.length, failed: 0, skipped: 0 });

    // Changes between the first and the last export.
    const every = (step: number, first: number): Person[] =>
      people.filter((_, index) => index % step === first);
    const [changed, renamed, blocked] = [every(50, 8), every(100, 17), every(100, 26)];
    for (const { user } of changed) system.changePassword(user);
    for (const { user } of renamed) system.rename(user);
    for (const { user } of blocked) system.block(user);
    people.push(...Array.from({ length: LATE }, addPerson));
    expect(await importUsers('--update')).toMatchObject({
      ...{ code: 0, created: LATE, failed: 0 },
      updated: changed.length + renamed.length + blocked.length,
    });
    // Changes after the last export.
    const stale = every(100, 7);
    for (const { user } of stale) system.changePassword(user);

    const live = people.filter(({ cookie }) => cookie !== null);
    const others = people.filter(({ cookie, user }) => cookie === null && !user.isBlocked);
    const switchInstances = async (): Promise<string[]> => {
      const lost: string[] = [];
      for (let replaced = 1; replaced <= INSTANCES; replaced += 1) {
        const visitors = replaced < INSTANCES ? live.filter((_, index) => index % 3 === replaced - 1) : live;
        let visits = 0;
        // The switch reaches one instance after another, and the old cookie remains until all have switched.
        const visit = (person: Person): Promise<string | null> | string | null => {
          visits += 1;
          return visits % INSTANCES < replaced ? visitAfter(person) : visitBefore(person);
        };
        lost.push(...(await listLost(visitors, visit)));
      }
      return lost;
    };
    const [signedOut, notSignedIn] = await Promise.all([switchInstances(), listLost(others, signIn)]);
    expect({ signedOut, notSignedIn }).toEqual({ signedOut: [], notSignedIn: [] });

    // Every session is a Gatehouse session now, and stays valid.
    const sample = live.filter((_, index) => index % 5 === 0);
    expect(await listLost(sample, visitAfter)).toEqual([]);

    const rejected = await runInChunks(blocked, async (person) => [await signIn(person)]);
    expect(new Set(rejected)).toEqual(new Set(['customer_disabled']));
    const names = await instance.sql<{ id: string }>(
      `SELECT external_id AS id FROM customers WHERE first_name LIKE 'Renamed %'`,
    );
    expect(names.map(({ id }) => id).sort()).toEqual(renamed.map(({ user }) => user.id).sort());
    const customers = await instance.sql<{ id: string }>(
      'SELECT external_id AS id FROM customers WHERE project_id = $1',
      [instance.credentials.projectId],
    );
    expect(customers.map(({ id }) => id).sort()).toEqual(people.map(({ user }) => user.id).sort());
    const [used] = await instance.sql(
      `SELECT count(*)::int AS count FROM audit_log WHERE action = 'customer.sign_in_token_used'`,
    );
    expect(used).toEqual({ count: live.length });
    // The previous system verifies only passwords that were changed after their export.
    const known = new Set([...changed, ...stale].map(({ user }) => user.email));
    expect(system.verified.filter((email) => !known.has(email))).toEqual([]);
    expect(system.verified.length).toBeGreaterThan(0);
  },
  MAX_DURATION_MS,
);
