import { pbkdf2Sync, scryptSync } from 'node:crypto';
import type { ExportedCustomer } from '@gatehouse/server';
import bcrypt from 'bcrypt';
import { argon2id, argon2Verify } from 'hash-wasm';
import { toObject } from '../../json-object.js';
import { targets } from '../targets.js';

const PASSWORD = 'correct horse 🐎';
const SALT = Buffer.from('0123456789abcdef');
const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Hashes from other libraries, in formats that Gatehouse imports and exports. */
const hashes = async (): Promise<Record<string, string>> => ({
  bcrypt: bcrypt.hashSync(PASSWORD, 4),
  argon2id: await argon2id({
    ...{ password: PASSWORD, salt: SALT, iterations: 2, parallelism: 1, memorySize: 64, hashLength: 32 },
    outputType: 'encoded',
  }),
  scrypt: `$scrypt$ln=4,r=8,p=1$${bare(SALT)}$${bare(scryptSync(PASSWORD, SALT, 32, { N: 16, r: 8, p: 1 }))}`,
  ...Object.fromEntries(
    ['sha1', 'sha256', 'sha512'].map((digest) => [
      digest,
      `$pbkdf2-${digest}$i=7$${bare(SALT)}$${bare(pbkdf2Sync(PASSWORD, SALT, 7, 20, digest))}`,
    ]),
  ),
  passlib: `$pbkdf2-sha256$7$${bare(SALT)}$${bare(pbkdf2Sync(PASSWORD, SALT, 7, 32, 'sha256')).replaceAll('+', '.')}`,
  django: `pbkdf2_sha256$7$salt$${pbkdf2Sync(PASSWORD, 'salt', 7, 32, 'sha256').toString('base64')}`,
  firebase: `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw,sk=${bare(Buffer.alloc(32, 1))}$${bare(SALT)}$${bare(Buffer.alloc(32, 2))}`,
  peppered: `v1$01234567$2b$10$${'a'.repeat(53)}`,
  unknown: '$P$BabcdefghIJKLmnopqrstuvwxyz012345',
});

const decode = (text: string): Buffer => Buffer.from(text, 'base64');

async function verifyPhc(text: string): Promise<boolean> {
  if (text.startsWith('$2')) return bcrypt.compareSync(PASSWORD, text);
  if (text.startsWith('$argon2')) return argon2Verify({ password: PASSWORD, hash: text });
  const [, name, parameters, salt, hash] = text.split('$') as [string, string, string, string, string];
  const values = Object.fromEntries(parameters.split(',').map((pair) => pair.split('='))) as Record<
    string,
    string
  >;
  const length = Number(values['l'] ?? decode(hash).length);
  const derived = name.startsWith('pbkdf2-')
    ? pbkdf2Sync(PASSWORD, decode(salt), Number(values['i']), length, name.slice('pbkdf2-'.length))
    : // In Kratos, `ln` is the cost itself instead of its logarithm.
      scryptSync(PASSWORD, decode(salt), length, { N: Number(values['ln']), r: 8, p: 1 });
  return derived.equals(decode(hash));
}

/** Verifies the password as each system documents it. Returns null if the files contain no password. */
const verifiers: Record<string, (record: string) => Promise<boolean> | boolean | null> = {
  auth0(record) {
    const custom = JSON.parse(record).custom_password_hash;
    if (!custom) return null;
    const { algorithm, hash, salt, keylen, cost, blockSize, parallelization } = custom;
    if (algorithm !== 'scrypt') return verifyPhc(hash.value);
    const parameters = { N: cost, r: blockSize, p: parallelization };
    return scryptSync(PASSWORD, decode(salt.value), keylen, parameters).equals(decode(hash.value));
  },
  keycloak(record) {
    const [credential] = JSON.parse(record).credentials;
    if (!credential) return null;
    const [secret, data] = [JSON.parse(credential.secretData), JSON.parse(credential.credentialData)];
    if (data.algorithm === 'bcrypt') return verifyPhc(secret.value);
    const [salt, hash] = [decode(secret.salt), decode(secret.value)];
    if (data.algorithm !== 'argon2') {
      const digest = data.algorithm === 'pbkdf2' ? 'sha1' : data.algorithm.slice('pbkdf2-'.length);
      return pbkdf2Sync(PASSWORD, salt, data.hashIterations, hash.length, digest).equals(hash);
    }
    const { memory, type, parallelism } = data.additionalParameters;
    const parameters = `m=${memory[0]},t=${data.hashIterations},p=${parallelism[0]}`;
    return verifyPhc(`$argon2${type[0]}$v=19$${parameters}$${bare(salt)}$${bare(hash)}`);
  },
  kratos(record) {
    const text = JSON.parse(record).create.credentials.password?.config.hashed_password;
    if (text === undefined) return null;
    // https://www.ory.com/docs/kratos/manage-identities/import-user-accounts-identities#hashed-passwords
    if (text.startsWith('$firescrypt$'))
      return /^\$firescrypt\$ln=14,r=8,p=1(\$[A-Za-z0-9+/]+={0,2}){4}$/.test(text);
    return verifyPhc(text);
  },
  supabase(record) {
    const text = record.match(/(\$2[aby]\$|\$argon2|\$fbscrypt\$)[^"\n]*/)?.[0];
    if (text === undefined) return null;
    if (text.startsWith('$fbscrypt$')) return text.includes(',ss=Bw==,');
    return verifyPhc(text.startsWith('$2') ? text.split(',')[0]! : text);
  },
};

const NONE = { unknown: 'left_out', peppered: 'left_out' };

/** The hashes that each system does not accept unchanged. */
const leftOut: Record<string, Record<string, string>> = {
  auth0: { ...NONE, firebase: 'left_out' },
  // The credential is for realms with an extension.
  keycloak: { ...NONE, bcrypt: 'left_out', scrypt: 'left_out', firebase: 'left_out' },
  kratos: NONE,
  supabase: {
    ...NONE,
    ...{ scrypt: 'left_out', sha1: 'left_out', sha256: 'left_out', sha512: 'left_out' },
    ...{ passlib: 'left_out', django: 'left_out' },
  },
};

it.each(targets.map((target) => [target.name, target] as const))(
  'writes hashes that %s verifies, and reports the others',
  async (name, target) => {
    const all = await hashes();
    const results: Record<string, string> = {};
    for (const [scheme, passwordHash] of Object.entries(all)) {
      const customer = { ...customerWith, passwordHash };
      const { records, differences } = target.convert(customer, { providers: new Map(), values: {} });
      const isRight = await verifiers[name]!(records[0]![0]!);
      const difference = differences.find(({ field }) => field === 'passwordHash');
      if (difference) results[scheme] = difference.result;
      else expect([scheme, isRight]).toEqual([scheme, true]);
      // A reported hash is exported only if an extension accepts it.
      if (difference) expect([scheme, isRight ?? true]).toEqual([scheme, true]);
    }
    expect(results).toEqual(leftOut[name]);
  },
);

it('describes how customers with a peppered hash can keep their password', async () => {
  const { peppered } = await hashes();
  for (const target of targets) {
    const { differences } = target.convert(
      { ...customerWith, passwordHash: peppered! },
      {
        ...{ providers: new Map(), values: {} },
      },
    );
    const difference = differences.find(({ field }) => field === 'passwordHash');
    expect(toObject(difference)?.['remedy']).toContain('docs/moving-out.md');
  }
});

const customerWith: ExportedCustomer = {
  ...{ id: '019aa2c0-7d1e-7000-8000-000000000001', projectId: '019aa2c0-7d1e-7000-8000-000000000000' },
  ...{ email: 'ada@example.com', emailVerified: true, firstName: null, lastName: null, locale: null },
  ...{ imageUrl: null, externalId: null, metadata: {}, publicMetadata: {}, mfa: 'inherit', disabledAt: null },
  ...{ createdAt: '2021-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.089Z', lastLoginAt: null },
};
