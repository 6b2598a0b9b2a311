import { createCipheriv, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import bcrypt from 'bcrypt';
import { argon2id } from 'hash-wasm';
import { HashThreads } from './hash-threads.js';
import { importedHashProblem, parseImportedHash } from './imported-hash.js';

const raw = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const passlib = (bytes: Buffer): string => raw(bytes).replaceAll('+', '.');
const encodeHex = (digits: string): string => raw(Buffer.from(digits, 'hex'));
const encodeText = (characters: string): string => raw(Buffer.from(characters));

const signer = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
const fbscrypt = (key: string, salt: string, hash: string): string =>
  `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${key}$${salt}$${hash}`;

/** The format and source, the password, and the hash. */
const publishedHashes: [string, string, string][] = [
  ['bcrypt, crypt_blowfish wrapper.c', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt in the PHP format', 'U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  [
    'bcrypt, crypt_blowfish wrapper.c, truncated after 72 bytes',
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored',
    '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  ],
  [
    'argon2id, phc-winner-argon2 test.c',
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  [
    'argon2id with lanes, phc-winner-argon2 test.c',
    'password',
    `$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$${encodeHex('6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037')}`,
  ],
  [
    'argon2id, Supabase Auth password_test.go',
    'test',
    '$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk',
  ],
  [
    'scrypt, RFC 7914 section 12',
    'password',
    `$scrypt$ln=10,r=8,p=16$${encodeText('NaCl')}$${encodeHex('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640')}`,
  ],
  [
    'scrypt, RFC 7914 section 12, second',
    'pleaseletmein',
    `$scrypt$ln=14,r=8,p=1$${encodeText('SodiumChloride')}$${encodeHex('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887')}`,
  ],
  [
    'scrypt, passlib documentation',
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  [
    'pbkdf2 with SHA-1, RFC 6070',
    'password',
    `$pbkdf2-sha1$i=4096$${encodeText('salt')}$${encodeHex('4b007901b765489abead49d926f721d065a429c1')}`,
  ],
  [
    'pbkdf2 with SHA-256, RFC 7914 section 11',
    'passwd',
    `$pbkdf2-sha256$i=1$${encodeText('salt')}$${encodeHex('55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783')}`,
  ],
  [
    'pbkdf2 with SHA-1, passlib test_handlers_pbkdf2.py',
    'password',
    '$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI',
  ],
  [
    'pbkdf2 with SHA-256, passlib documentation',
    'password',
    '$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdAw$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
  ],
  [
    'pbkdf2 with SHA-512, passlib test_handlers_pbkdf2.py',
    'password',
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
  ],
  [
    'pbkdf2 of non-ASCII letters, passlib test_handlers_pbkdf2.py',
    'Ιωαννης',
    '$pbkdf2$1212$THDqatpidANpadlLeTeOEg$HV3oi1k5C5LQCgG1BMOL.BX4YZc',
  ],
  [
    "pbkdf2, Django's test_hashers.py",
    'letmein',
    'pbkdf2_sha256$10000$seasalt$FQCNpiZpTb0zub+HBsH6TOwyRxJ19FwvjbweatNmK/Y=',
  ],
  [
    'firebase-scrypt, README of firebase/scrypt',
    'user1password',
    fbscrypt(
      signer,
      '42xEC+ixf3L2lw==',
      'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    ),
  ],
  [
    'firebase-scrypt, Supabase Auth password_test.go',
    'mytestpassword',
    fbscrypt(
      'ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==',
      'C0sHCg9ek77hsg==',
      'zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==',
    ),
  ],
];

/** Functions that create a hash, by format. */
const hashers: Record<string, (password: string) => string | Promise<string>> = {
  bcrypt: (password) => bcrypt.hashSync(password, 4),
  argon2id: (password) =>
    argon2id({
      password,
      salt: randomBytes(16),
      memorySize: 64,
      iterations: 2,
      parallelism: 4,
      hashLength: 24,
      outputType: 'encoded',
    }),
  scrypt: (password) => {
    const salt = randomBytes(15);
    return `$scrypt$ln=4,r=8,p=2$${raw(salt)}$${raw(scryptSync(password, salt, 32, { N: 16, r: 8, p: 2 }))}`;
  },
  'pbkdf2 with padding': (password) => {
    const salt = randomBytes(16);
    const hash = pbkdf2Sync(password, salt, 7, 64, 'sha512');
    return `$pbkdf2-sha512$i=7,l=64$${salt.toString('base64')}$${hash.toString('base64')}`;
  },
  'pbkdf2 in the passlib format': (password) => {
    const salt = Buffer.concat([Buffer.from('fbff', 'hex'), randomBytes(14)]);
    expect(passlib(salt)).toMatch(/^[./]/);
    return `$pbkdf2-sha256$7$${passlib(salt)}$${passlib(pbkdf2Sync(password, salt, 7, 32, 'sha256'))}`;
  },
  'pbkdf2 in the Django format': (password) => {
    const salt = randomBytes(11).toString('hex');
    return `pbkdf2_sha256$7$${salt}$${pbkdf2Sync(password, salt, 7, 32, 'sha256').toString('base64')}`;
  },
  fbscrypt: (password) => {
    const [salt, key] = [randomBytes(10), randomBytes(64)];
    const derived = scryptSync(password, Buffer.concat([salt, Buffer.from([7])]), 64, { N: 16, r: 8, p: 1 });
    const hash = createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16)).update(key);
    const [sk, end] = [key, hash].map((bytes) => bytes.toString('base64'));
    return `$fbscrypt$v=1,n=4,r=8,p=1,ss=Bw==,sk=${sk}$${salt.toString('base64')}$${end}`;
  },
};

const salt = encodeText('0123456789abcdef');
const hash32 = raw(Buffer.alloc(32, 7));
const bcrypt53 = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

describe('an imported hash', () => {
  const threads = new HashThreads(2, 4, 4_000);
  afterAll(() => threads.close());

  const matches = async (password: string, hash: string): Promise<boolean> => {
    const parsed = parseImportedHash(hash);
    if ('problem' in parsed) throw new Error(parsed.problem);
    return threads.run<boolean>({ passwords: [password], imported: parsed.hash, weight: 1 });
  };

  it.each(publishedHashes)('PW-07: matches its password: %s', async (_, password, hash) => {
    await expect(matches(password, hash)).resolves.toBe(true);
    await expect(matches(`${password[0]} ${password.slice(1)}`, hash)).resolves.toBe(false);
  });

  it.each(Object.entries(hashers))('PW-03: matches only the entire password: %s', async (_, createHash) => {
    for (const password of ['correct horse', ' 🦄 ', 'cafe\u0301', 'x'.repeat(71)]) {
      const hash = await createHash(password);
      await expect(matches(password, hash)).resolves.toBe(true);
      for (const other of [`${password.slice(0, -1)}y`, `${password}y`, password.slice(1)]) {
        await expect(matches(other, hash)).resolves.toBe(false);
      }
    }
  });

  it('matches if any of several passwords is correct', async () => {
    const parsed = parseImportedHash(await hashers.scrypt!('b'));
    if ('problem' in parsed) throw new Error(parsed.problem);
    const run = (...passwords: string[]) => threads.run({ passwords, imported: parsed.hash, weight: 1 });
    await expect(Promise.all([run('a', 'b'), run('b', 'a'), run('a', 'c')])).resolves.toEqual([
      true,
      true,
      false,
    ]);
  });

  it('PW-06: rejects hashes in unknown formats', () => {
    const argonHash = `$argon2d$v=19$m=65536,t=3,p=4$${salt}$${hash32}`;
    const bcryptHashes = [` $2b$10$${bcrypt53}`, `$2x$10$${bcrypt53}`, `v1$00000000$2b$10$${bcrypt53}`];
    const others = [
      `$pbkdf2-md5$i=1000$${salt}$${hash32}`,
      `pbkdf2_sha512$1000$salt$${hash32}`,
      `i1$${hash32}`,
    ];
    const message =
      'must be in one of the formats bcrypt, argon2id, argon2i, scrypt, pbkdf2, fbscrypt, Django bcrypt, Django bcrypt_sha256, Django pbkdf2, Django scrypt, Werkzeug scrypt, Werkzeug pbkdf2, WordPress bcrypt, phpass, Better Auth scrypt, ASP.NET Core Identity, salted SHA';
    for (const hash of [
      '',
      'correct horse',
      '5f4dcc3b5aa765d61d8327deb882cf99',
      argonHash,
      ...bcryptHashes,
      ...others,
    ])
      expect(importedHashProblem(hash)).toBe(message);
  });

  const argon = (parameters: string, end = `${salt}$${hash32}`) => `$argon2id$v=19$${parameters}$${end}`;
  const scrypt = (parameters: string, end = `${salt}$${hash32}`) => `$scrypt$${parameters}$${end}`;

  it.each([
    ['bcrypt', `$2b$10$${bcrypt53.slice(1)}`],
    ['bcrypt', `$2b$10$${bcrypt53}.`],
    ['bcrypt', `$2b$10$${bcrypt53}\n`],
    ['bcrypt', `$2b$10$${bcrypt53.replace('C.', 'C/')}`],
    ['bcrypt', `$2b$10$${bcrypt53.slice(0, -1)}X`],
    ['bcrypt', `$2b$03$${bcrypt53}`],
    ['bcrypt', `$2b$32$${bcrypt53}`],
    ['bcrypt', `$2b$5$${bcrypt53}`],
    ['argon2id', argon('m=65536,t=3,p=4').replace('v=19', 'v=16')],
    ['argon2id', argon('m=65536,t=3,p=4').replace('v=19$', '')],
    ['argon2id', argon('t=3,m=65536,p=4')],
    ['argon2id', argon('m=65536,t=3,p=4,data=AAAA')],
    ['argon2id', argon('m=-65536,t=3,p=4')],
    ['argon2id', argon('m=65536,t=0,p=4')],
    ['argon2id', argon('m=65536,t=3,p=04')],
    ['argon2id', argon('m=1e4,t=3,p=4')],
    ['argon2id', argon('m=31,t=3,p=4')],
    ['argon2id', argon('m=65536,t=3,p=4', `${encodeText('seven b')}$${hash32}`)],
    ['argon2id', argon('m=65536,t=3,p=4', `${salt}$`)],
    ['argon2id', argon('m=65536,t=3,p=4', salt)],
    ['argon2id', argon('m=65536,t=3,p=4', `${salt}$${hash32}$`)],
    ['argon2id', argon('m=65536,t=3,p=4', `${salt}$${raw(Buffer.alloc(15))}`)],
    ['argon2id', argon('m=65536,t=3,p=4', `${salt}$${raw(Buffer.alloc(65))}`)],
    ['argon2id', argon('m=65536,t=3,p=4', `${passlib(Buffer.alloc(16, 0xfb))}$${hash32}`)],
    ['scrypt', scrypt('ln=15,r=8')],
    ['scrypt', scrypt('ln=15,r=8,p=-1')],
    ['scrypt', scrypt('ln=0,r=8,p=1')],
    ['scrypt', scrypt('ln=16,r=1,p=1')],
    ['scrypt', scrypt('ln=15,r=8,p=1', `$${hash32}`)],
    // The last character contains surplus bits, or the padding is incomplete.
    ['scrypt', scrypt('ln=15,r=8,p=1', `${salt}$${hash32.slice(0, -1)}d`)],
    ['scrypt', scrypt('ln=15,r=8,p=1', `${salt.slice(0, -1)}x$${hash32}`)],
    ['scrypt', scrypt('ln=15,r=8,p=1', `${salt}=$${hash32}`)],
    ['scrypt', scrypt('ln=15,r=8,p=1', `${salt}$${hash32}==`)],
    ['scrypt', scrypt('ln=15,r=8,p=1', `${raw(Buffer.alloc(800))}$${hash32}`)],
    ['pbkdf2', `$pbkdf2-sha256$i=0$${salt}$${hash32}`],
    ['pbkdf2', `$pbkdf2-sha256$-1$${salt}$${hash32}`],
    ['pbkdf2', `$pbkdf2-sha256$01212$${salt}$${hash32}`],
    ['pbkdf2', `$pbkdf2-sha256$$${salt}$${hash32}`],
    ['pbkdf2', `$pbkdf2-sha256$i=1000,l=64$${salt}$${hash32}`],
    ['pbkdf2', `$pbkdf2-sha256$1000$+.AA$${hash32}`],
    ['pbkdf2', '$pbkdf2$1212$THDqatpidANpadlLeTeOEg$HV3oi1k5C5LQCgG1BMOL.BX4YZc$'],
    ['Django pbkdf2', `pbkdf2_sha256$1000$$${hash32}`],
    ['Django pbkdf2', `pbkdf2_sha256$1000$sa$lt$${hash32}`],
    ['Django pbkdf2', `pbkdf2_sha256$1000$sa lt$${hash32}`],
    ['fbscrypt', fbscrypt(signer, salt, hash32)],
    ['fbscrypt', fbscrypt(signer.slice(0, -1), salt, signer)],
    ['fbscrypt', fbscrypt('', salt, signer)],
    ['fbscrypt', fbscrypt(signer, '!!!', signer)],
    ['fbscrypt', fbscrypt(signer, salt, signer).replace('v=1', 'v=2')],
    ['fbscrypt', fbscrypt(signer, salt, signer).replace('n=14', 'n=0')],
    ['fbscrypt', fbscrypt(signer, salt, signer).replace('ss=Bw==', 'ss=Bx==')],
    ['fbscrypt', fbscrypt(signer, salt, signer).replace('ss=Bw==,', '')],
  ])('PW-06: rejects a malformed %s hash: %s', (format, hash) => {
    expect(importedHashProblem(hash)).toBe(`must be a well-formed ${format} hash`);
  });

  const huge = '18446744073709551617';
  it.each([
    ['bcrypt', `$2b$14$${bcrypt53}`, `$2b$15$${bcrypt53}`],
    ['argon2id', argon('m=131072,t=7,p=16'), argon('m=131073,t=1,p=1')],
    ['argon2id', argon('m=50000,t=20,p=1'), argon('m=50000,t=21,p=1')],
    ['argon2id', argon('m=8000,t=1,p=1000'), argon('m=8008,t=1,p=1001')],
    ['argon2id', argon('m=8,t=125000,p=1'), argon(`m=8,t=${huge},p=1`)],
    ['scrypt', scrypt('ln=17,r=8,p=3'), scrypt('ln=18,r=8,p=1')],
    ['scrypt', scrypt('ln=17,r=8,p=1'), scrypt('ln=17,r=8,p=4')],
    ['scrypt', scrypt('ln=10,r=8,p=483'), scrypt('ln=10,r=8,p=484')],
    ['scrypt', scrypt('ln=15,r=32,p=3'), scrypt('ln=15,r=33,p=1')],
    ['scrypt', scrypt('ln=1,r=1,p=333333'), scrypt('ln=1,r=1,p=333334')],
    ['scrypt', scrypt('ln=1,r=333333,p=1'), scrypt('ln=1,r=333334,p=1')],
    ['scrypt', scrypt('ln=2,r=1,p=285714'), scrypt('ln=2,r=1,p=1000000')],
    ['scrypt', scrypt('ln=1,r=8,p=1'), scrypt(`ln=1,r=${huge},p=1`)],
    ['scrypt', scrypt('ln=1,r=8,p=1'), scrypt(`ln=${huge},r=${huge}0,p=1`)],
    ['pbkdf2', `$pbkdf2-sha256$i=2000000$${salt}$${hash32}`, `$pbkdf2-sha256$i=2000001$${salt}$${hash32}`],
    ['pbkdf2', `$pbkdf2$1000000$${salt}$${hash32}`, `$pbkdf2$1000001$${salt}$${hash32}`],
    ['pbkdf2', `$pbkdf2-sha512$1$${salt}$${hash32}`, `$pbkdf2-sha512$${'9'.repeat(500)}$${salt}$${hash32}`],
    ['Django pbkdf2', `pbkdf2_sha256$2000000$s$${hash32}`, `pbkdf2_sha256$2000001$s$${hash32}`],
    ['fbscrypt', fbscrypt(signer, salt, signer), fbscrypt(signer, salt, signer).replace('n=14', 'n=18')],
  ])('RL-03: accepts %s up to the maximum cost: %s, but not %s', (format, accepted, rejected) => {
    expect(importedHashProblem(accepted)).toBeNull();
    expect(importedHashProblem(rejected)).toMatch(`must be cheaper to verify: the limit for ${format} is `);
  });
});
