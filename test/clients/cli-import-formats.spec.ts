import { createHash, createHmac, pbkdf2Sync, randomBytes, randomUUID, scryptSync } from 'node:crypto';
import bcrypt from 'bcrypt';
import { argon2id } from 'hash-wasm';
import { parseLines, runCli, type CliResult } from '../support/cli.js';
import {
  argon2,
  clerkUser,
  encodeBase32,
  firebaseHash,
  firebaseKey,
  keycloakCredential,
  keycloakUser,
} from '../support/exported-users.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { LEGACY_PASSWORD, LegacySystem } from '../support/legacy-system.js';
import {
  createMovingCustomer,
  createTargetProject,
  signInEverywhere,
  toCsv,
  writeFiles,
} from '../support/moving-in.js';
import {
  requestAsPage,
  changeSettings,
  openSocialSession,
  type SocialProject,
} from '../support/social-sign-in.js';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let standIn: StandInProvider;
let project: SocialProject;
beforeAll(async () => {
  [instance, standIn] = await Promise.all([
    TestInstance.startShared({ workers: 0 }),
    StandInProvider.start(),
  ]);
  project = await createTargetProject(instance, standIn);
});
afterAll(() => Promise.all([instance?.stop(), standIn?.stop()]));

/** Runs an import in a folder that contains these files. */
async function runImport(
  system: string,
  files: Record<string, string>,
  ...args: string[]
): Promise<CliResult> {
  const cwd = await writeFiles(files);
  const env = { GATEHOUSE_SECRET_KEY: instance.credentials.secretKey, GATEHOUSE_PROJECT_ID: project.id };
  return runCli(instance, ['--json', 'customers', 'import', '--from', system, ...args], { cwd, env });
}

/** Imports a system's files, and expects every user to be created. @returns the summary */
async function importFrom(
  system: string,
  files: Record<string, string>,
  ...args: string[]
): Promise<Record<string, any>> {
  const { code, stdout, stderr } = await runImport(system, files, ...args);
  const [summary] = parseLines(stdout);
  expect([code, stderr, summary]).toEqual([
    summary!['reasons'].length > 0 ? 1 : 0,
    '',
    expect.objectContaining({ failed: 0, skipped: 0, notSent: 0 }),
  ]);
  return summary!;
}

const findCustomer = async (email: string): Promise<Record<string, any>> => {
  const query = new URLSearchParams({ projectId: project.id, email });
  const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers?${query}`);
  return body.data[0];
};

/** Signs in with the password, and returns the customer's id. */
const signIn = async (email: string, password = PASSWORD): Promise<string> =>
  (await requestAsPage(instance, project, 'login', { email, password })).body.customer?.id;

/**
 * Expects a customer to sign in with the old password and with the provider, each time with the authenticator app if
 * there is one.
 */
async function expectSignIns(customer: Parameters<typeof signInEverywhere>[3]): Promise<void> {
  const { id } = await findCustomer(customer.email);
  expect(await signInEverywhere(instance, project, standIn, customer)).toEqual({
    withPassword: id,
    withProvider: id,
  });
}

/** Returns a Keycloak user with a passkey, and its authenticator. */
function createPasskeyUser(): [SoftwareAuthenticator, ReturnType<typeof keycloakUser>] {
  const authenticator = new SoftwareAuthenticator();
  const credential = keycloakCredential(
    'webauthn-passwordless',
    {},
    {
      ...{ aaguid: '00000000-0000-0000-0000-000000000000', counter: 0, attestationStatementFormat: 'none' },
      credentialId: authenticator.credentialId.toString('base64'),
      credentialPublicKey: authenticator.coseKey().toString('base64'),
    },
  );
  const user = keycloakUser(uniqueEmail(), [credential]);
  // Keycloak uses the characters of the user id as a passkey's user handle.
  const handle = Buffer.from(user.id).toString('base64url');
  authenticator.create({ challenge: 'YWJj', rp: { id: 'localhost' }, user: { id: handle } });
  return [authenticator, user];
}

describe('an import from Clerk', () => {
  it('preserves the old password, authenticator app and provider', async () => {
    const customer = createMovingCustomer();
    const { email, password, totpSecret } = customer;
    const row = clerkUser(email, {
      ...{
        totp_secret: totpSecret,
        password_digest: bcrypt.hashSync(password, 4),
        password_hasher: 'bcrypt',
      },
    });
    const verification = { status: 'verified' };
    const user = {
      id: row.id,
      email_addresses: [{ id: 'idn_1', email_address: email, verification }],
      external_accounts: [{ provider: 'oauth_google', provider_user_id: customer.subject, verification }],
      private_metadata: { plan: 'pro' },
      banned: false,
      created_at: 1_600_000_000_000,
    };
    const files = { 'users.csv': toCsv([row]), 'users.ndjson': `${JSON.stringify(user)}\n` };
    await importFrom('clerk', files, ...Object.keys(files));
    expect(await findCustomer(email)).toMatchObject({
      ...{ externalId: row.id, emailVerified: true, metadata: { plan: 'pro' } },
      createdAt: '2020-09-13T12:26:40.000Z',
    });
    await expectSignIns(customer);
  });

  it('accepts the password hashes of every supported hasher', async () => {
    const salt = randomBytes(12).toString('hex');
    const derive = (digest: string, saltBytes: string | Buffer) =>
      pbkdf2Sync(PASSWORD, saltBytes, 7, 32, digest);
    const bytes = Buffer.from(salt, 'hex');
    const firebase = firebaseHash(PASSWORD);
    const digests: Record<string, string> = {
      argon2id: await argon2id({ password: PASSWORD, salt: bytes, ...argon2, outputType: 'encoded' }),
      pbkdf2_sha1: `pbkdf2_sha1$7$${salt}$${derive('sha1', bytes).toString('hex')}$32`,
      pbkdf2_sha256: `pbkdf2_sha256$7$${bytes.toString('base64')}$${derive('sha256', bytes).toString('base64')}`,
      pbkdf2_sha256_django: `pbkdf2_sha256$7$${salt}$${derive('sha256', salt).toString('base64')}`,
      pbkdf2_sha512: `pbkdf2_sha512$7$${salt}$${derive('sha512', salt).toString('hex')}`,
      pbkdf2_sha512_hex: `pbkdf2_sha512_hex$7$${salt}$${derive('sha512', bytes).toString('hex')}`,
      scrypt_firebase: `${firebase.hash}$${firebase.salt}$${firebaseKey}$Bw==$8$4`,
      scrypt_werkzeug: `scrypt:16:8:1$${salt}$${scryptSync(PASSWORD, salt, 64, { N: 16, r: 8, p: 1 }).toString('hex')}`,
    };
    const rows = Object.entries(digests).map(([hasher, digest]) =>
      clerkUser(uniqueEmail(), { password_digest: digest, password_hasher: hasher }),
    );
    const users = rows.map(({ id, primary_email_address: email }) => ({
      ...{ id, primary_email_address: email, external_accounts: [], banned: false, private_metadata: {} },
    }));
    const files = { 'users.csv': toCsv(rows), 'users.json': JSON.stringify({ data: users }) };
    const summary = await importFrom('clerk', files, ...Object.keys(files));
    expect(summary).toMatchObject({ created: rows.length, reasons: [] });
    const results = await Promise.all(
      rows.map(async ({ primary_email_address: email, ...row }) => {
        const isSignedIn = (await signIn(email)) === (await findCustomer(email))['id'];
        return [(row as Record<string, string>)['password_hasher'], isSignedIn];
      }),
    );
    expect(results).toEqual(Object.keys(digests).map((hasher) => [hasher, true]));
  });
});

it('an import from Firebase preserves passwords and providers', async () => {
  const customer = createMovingCustomer();
  const { hash, salt } = firebaseHash(customer.password);
  const user = {
    localId: randomBytes(21).toString('base64url'),
    email: customer.email,
    emailVerified: true,
    passwordHash: hash,
    salt,
    displayName: 'Ada Byron',
    createdAt: '1600000000000',
    customAttributes: '{"plan":"pro"}',
    providerUserInfo: [{ providerId: 'google.com', rawId: customer.subject, email: customer.email }],
  };
  const config = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: ${firebaseKey},
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 4,
}
`;
  const files = { 'users.json': JSON.stringify({ users: [user] }), 'hash-config.txt': config };
  await importFrom('firebase', files, 'users.json', '--hash-config', 'hash-config.txt');
  expect(await findCustomer(customer.email)).toMatchObject({
    ...{ externalId: user.localId, firstName: 'Ada', lastName: 'Byron', metadata: { plan: 'pro' } },
    createdAt: '2020-09-13T12:26:40.000Z',
  });
  await expectSignIns({ ...customer, totpSecret: null });
});

it('an import from Keycloak preserves passwords, authenticators, providers and passkeys', async () => {
  // Without an encoding, the secret's bytes are its characters.
  const rawSecret = randomBytes(15).toString('base64url');
  const customer = { ...createMovingCustomer(), totpSecret: encodeBase32(rawSecret) };
  const salt = randomBytes(16);
  const secret = (hash: Uint8Array) => ({
    value: Buffer.from(hash).toString('base64'),
    salt: salt.toString('base64'),
    additionalParameters: {},
  });
  const hash = await argon2id({ password: customer.password, salt, ...argon2, outputType: 'binary' });
  const parameters = {
    hashLength: ['32'],
    memory: ['7168'],
    type: ['id'],
    version: ['1.3'],
    parallelism: ['1'],
  };
  const totp = { subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' };
  const ada = keycloakUser(
    customer.email,
    [
      keycloakCredential('password', secret(hash), {
        ...{ hashIterations: 5, algorithm: 'argon2', additionalParameters: parameters },
      }),
      keycloakCredential('otp', { value: rawSecret }, totp),
    ],
    {
      federatedIdentities: [{ identityProvider: 'google', userId: customer.subject, userName: 'ada' }],
      attributes: { plan: ['pro'] },
    },
  );
  const others = (['sha1', 'sha256', 'sha512'] as const).map((digest) =>
    keycloakUser(uniqueEmail(), [
      keycloakCredential('password', secret(pbkdf2Sync(PASSWORD, salt, 7, 64, digest)), {
        hashIterations: 7,
        algorithm: digest === 'sha1' ? 'pbkdf2' : `pbkdf2-${digest}`,
      }),
    ]),
  );
  // A password in the format that preceded Keycloak 8, and a plaintext password, as in files written by hand.
  const old = {
    ...{ type: 'password', algorithm: 'pbkdf2-sha256', hashIterations: 7, salt: salt.toString('base64') },
    hashedSaltedValue: pbkdf2Sync(PASSWORD, salt, 7, 64, 'sha256').toString('base64'),
  };
  others.push(
    ...[old, { type: 'password', value: PASSWORD }].map((each) => keycloakUser(uniqueEmail(), [each])),
  );
  const [authenticator, withPasskey] = createPasskeyUser();
  const files = {
    'acme-users-0.json': JSON.stringify({ realm: 'acme', users: [ada, withPasskey] }),
    'acme-users-1.json': JSON.stringify({ realm: 'acme', users: others }),
  };
  const summary = await importFrom('keycloak', files, ...Object.keys(files), '--rp-id', 'localhost');
  expect(summary).toMatchObject({ created: 7, reasons: [] });
  expect(await findCustomer(customer.email)).toMatchObject({
    ...{ id: ada.id, externalId: ada.id, metadata: { plan: 'pro' }, createdAt: '2020-09-13T12:26:40.000Z' },
  });
  await expectSignIns(customer);
  const ids = await Promise.all(others.map(({ email }) => signIn(email)));
  expect(ids).toEqual(others.map(({ id }) => id));
  await changeSettings(instance, project, { signIn: { passkey: true } });
  const { options } = (await requestAsPage(instance, project, 'passkey/options', {})).body;
  const { body } = await requestAsPage(instance, project, 'passkey', {
    response: authenticator.get(options),
  });
  expect(body.customer.id).toBe(withPasskey.id);
});

it('customers from Cognito can sign in with providers and legacySignIn', async () => {
  const system = await LegacySystem.start();
  try {
    await changeSettings(instance, project, { legacySignIn: system.setting });
    const [subject, email, other] = [randomUUID(), uniqueEmail(), uniqueEmail()];
    const user = (sub: string, address: string, fields: object, attributes: Record<string, string> = {}) => ({
      Username: sub,
      Attributes: Object.entries({ sub, email: address, email_verified: 'true', ...attributes }).map(
        ([Name, Value]) => ({ Name, Value }),
      ),
      UserCreateDate: '2020-09-13T12:26:40.000000+00:00',
      Enabled: true,
      ...fields,
    });
    const identities = [{ userId: subject, providerName: 'Google', providerType: 'Google', primary: true }];
    const users = [
      user(randomUUID(), email, { UserStatus: 'CONFIRMED' }, { 'custom:plan': 'pro' }),
      user(
        randomUUID(),
        other,
        { UserStatus: 'EXTERNAL_PROVIDER' },
        { identities: JSON.stringify(identities) },
      ),
    ];
    await importFrom('cognito', { 'users.json': JSON.stringify({ Users: users }) }, 'users.json');
    const [first, second] = users.map(({ Username }) => Username);
    expect(await findCustomer(email)).toMatchObject({ id: first, metadata: { plan: 'pro' } });
    expect(await signIn(email, LEGACY_PASSWORD)).toBe(first);
    standIn.user = createProviderUser({ sub: subject, email: other });
    expect(await openSocialSession(instance, project, 'google')).toMatchObject({ id: second });
  } finally {
    await system.receiver.stop();
  }
});

it('an import from WordPress or Ory Kratos preserves the passwords', async () => {
  const [wordpress, kratos] = [uniqueEmail(), uniqueEmail()];
  const input = createHmac('sha384', 'wp-sha384').update(PASSWORD).digest('base64');
  const row = {
    ID: '1',
    user_login: wordpress,
    user_email: wordpress,
    user_pass: `$wp${bcrypt.hashSync(input, 4)}`,
    user_status: '0',
  };
  const meta = { user_id: '1', meta_key: 'wp_capabilities', meta_value: 'a:1:{s:10:"subscriber";b:1;}' };
  const files = { 'users.csv': toCsv([row]), 'meta.csv': toCsv([meta]) };
  expect(await importFrom('wordpress', files, 'users.csv', 'meta.csv')).toMatchObject({ created: 1 });
  expect(await signIn(wordpress)).toEqual(expect.any(String));

  const salt = randomBytes(8);
  const digest = createHash('sha512').update(PASSWORD).update(salt).digest();
  const hash = `{SSHA512}${Buffer.concat([digest, salt]).toString('base64')}`;
  const identity = {
    ...{ id: randomUUID(), state: 'active', traits: { email: kratos } },
    credentials: { password: { type: 'password', config: { hashed_password: hash } } },
  };
  const identities = { 'i.json': JSON.stringify([identity]) };
  const summary = await importFrom('kratos', identities, 'i.json', '--allow-fast-hashes');
  expect(summary).toMatchObject({ created: 1, weakHashes: 1 });
  expect(await signIn(kratos)).toBe(identity.id);
});

it('an import reports users that cannot be imported, and imports the others', async () => {
  const email = uniqueEmail();
  const users = [email, email.toUpperCase(), 'invalid', ''].map((address) =>
    keycloakUser(address, [{ type: 'password', secretData: '{' }]),
  );
  const { code, stdout } = await runImport('keycloak', { 'u.json': JSON.stringify({ users }) }, 'u.json');
  const counts = { created: 1, skipped: 1, failed: 1, notSent: 1 };
  expect([code, parseLines(stdout)]).toMatchObject([1, [counts]]);
  expect(await findCustomer(email)).toMatchObject({ id: users[0]!.id });
});

it('an import fails with exit code 2 for files without users and for missing parameters', async () => {
  const files = {
    'users.csv': 'a,b\n1,2\n',
    'users.json': '{"realm":"acme"}',
    'hashes.json': '{"users":[{"localId":"1","passwordHash":"AAAA"}]}',
    'empty.json': '[]',
    'hash-config.txt': 'algorithm: MD5',
  };
  const config = ['--hash-config', 'hash-config.txt'];
  for (const [system, args, message] of [
    ['clerk', ['users.csv'], 'is not the CSV export from Clerk'],
    ['clerk', ['empty.json'], 'No users in'],
    ['cognito', ['users.csv'], 'has no column cognito:username or email'],
    ['keycloak', ['users.json'], 'No users in'],
    ['firebase', ['hashes.json'], "The Firebase project's password hash parameters are missing"],
    ['firebase', ['users.json', ...config], 'algorithm must be SCRYPT'],
    ['keycloak', ['users.json', ...config], 'requires --from firebase'],
  ] as const) {
    const { code, stderr } = await runImport(system, files, ...args);
    expect([system, code, stderr]).toEqual([system, 2, expect.stringContaining(message)]);
  }
});
