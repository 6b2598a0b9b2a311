import { HashThreads } from './hash-threads.js';
import { importedHashProblem, isWeakHash, parseImportedHash } from './imported-hash.js';
import { Keyring } from './keyring.js';
import { PasswordHasher } from './password-hasher.js';

/**
 * A family of hash formats from other systems. Unless stated otherwise, a hash belongs to the password `correct horse`.
 */
interface Family {
  /** The name in error messages. */
  name: string;
  /** Hashes from other libraries, by source, with the password if it is not the default. */
  hashes: Record<string, string | [hash: string, password: string]>;
  /** A hash with the maximum cost, and a hash that exceeds it. */
  costs?: [accepted: string, rejected: string];
  malformed: string[];
  /** True if the hashes are accepted only with `allowFastHashes`. */
  isFast?: true;
}

const LONG = 'x'.repeat(100);

const families: Family[] = [
  {
    name: 'argon2i',
    hashes: {
      'argon2-cffi 25.1':
        '$argon2i$v=19$m=512,t=2,p=2$MMtjMSmSgDk2zFJja7dVsQ$e9MY6T9cZHAzxxrvPlDLBpZlsMz+Z2un34qMmAwem44',
    },
    costs: [
      '$argon2i$v=19$m=131072,t=7,p=1$B7rTPHRI8gKFPk/j7PPsVQ$E2uX/VRWAqaw2p0gQbA0TNEYHnuZOs0ut/mjobQIbXw',
      '$argon2i$v=19$m=131073,t=1,p=1$B7rTPHRI8gKFPk/j7PPsVQ$E2uX/VRWAqaw2p0gQbA0TNEYHnuZOs0ut/mjobQIbXw',
    ],
    malformed: [
      '$argon2i$v=16$m=512,t=2,p=2$B7rTPHRI8gKFPk/j7PPsVQ$E2uX/VRWAqaw2p0gQbA0TNEYHnuZOs0ut/mjobQIbXw',
    ],
  },
  {
    name: 'argon2id',
    hashes: {
      'Django 5.2':
        'argon2$argon2id$v=19$m=512,t=2,p=2$c2Vhc2FsdDEyMzQ1$CdOuib4RMBvlht5p2ZgdTXaGZWJ9Lst1NJ/7w8bhin8',
    },
    malformed: ['argon2$argon2id$v=19$m=512,t=2,p=2$c2Vhc2FsdDEyMzQ1'],
  },
  {
    name: 'fbscrypt',
    hashes: {
      'PasswordHashingTest.java in SuperTokens': [
        '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=gRhC3eDeQOdyEn4bMd9c6kxguWVmcIVq/SKa0JDPFeM6TcEevkaW56sIWfx88OHbJKnCXdWscZx0l2WbCJ1wbg==$/cj0jC1br5o4+w==$qZM035es5AXYqavsKD6/rhtxg7t5PhcyRgv5blc3doYbChX8keMfQLq1ra96O2Pf2TP/eZrR5xtPCYN6mX3ESA==',
        'testPass123',
      ],
    },
    malformed: [],
  },
  {
    name: 'Django bcrypt',
    hashes: { 'Django 5.2': 'bcrypt$$2b$04$Bq8CdMMxSvd/gsA0rD8ELutAgbnSQ3GkXiddZN3pa0JdgpFFYpkCy' },
    costs: [
      'bcrypt$$2b$14$y.sWAQsqqUr/JKIB/MfhwePUq1eRQrRRODV2HWDHkuwc6W889CZem',
      'bcrypt$$2b$15$y.sWAQsqqUr/JKIB/MfhwePUq1eRQrRRODV2HWDHkuwc6W889CZem',
    ],
    malformed: ['bcrypt$2b$04$y.sWAQsqqUr/JKIB/MfhwePUq1eRQrRRODV2HWDHkuwc6W889CZem'],
  },
  {
    name: 'Django bcrypt_sha256',
    hashes: {
      'Django 5.2': 'bcrypt_sha256$$2b$04$XRhtiAG0Ew.j3diMvl/JW.0VG8ICQ/9JBtAA.do09duU1qATQzGg6',
      'Django 5.2, more than 72 bytes': [
        'bcrypt_sha256$$2b$04$p2j6QhiduV7N8w6t2u8Q3.obgqwpb.tdDUVgZ6xGUozW3LkC//lze',
        LONG,
      ],
    },
    costs: [
      'bcrypt_sha256$$2b$14$pwjF134ZldJoc6l8dzD5COBvS8pw28.8IQOh5o83Z7ZPaZIaoBtE.',
      'bcrypt_sha256$$2b$15$pwjF134ZldJoc6l8dzD5COBvS8pw28.8IQOh5o83Z7ZPaZIaoBtE.',
    ],
    malformed: ['bcrypt_sha256$$2b$04$pwjF134ZldJoc6l8dzD5COBvS8pw28.8IQOh5o83Z7ZPaZIaoBt'],
  },
  {
    name: 'Django pbkdf2',
    hashes: {
      'Django 5.2, SHA-1': 'pbkdf2_sha1$10$seasalt12345$I3JJTrUp1LutWkOkHjkLL6WQUCs=',
      'Django 5.2, SHA-256': 'pbkdf2_sha256$10$seasalt12345$T8xY/DUwyW8r60NoNzNDJZiOwydyZ+LGP/n6kWSpfMY=',
    },
    costs: [
      'pbkdf2_sha1$2000000$seasalt$I3JJTrUp1LutWkOkHjkLL6WQUCs=',
      'pbkdf2_sha1$2000001$seasalt$I3JJTrUp1LutWkOkHjkLL6WQUCs=',
    ],
    malformed: ['pbkdf2_sha1$10$$I3JJTrUp1LutWkOkHjkLL6WQUCs=', 'pbkdf2_sha1$10$seasalt$I3JJTrUp1Lut'],
  },
  {
    name: 'Django scrypt',
    hashes: {
      'Django 5.2':
        'scrypt$16$seasalt12345$8$5$E+c7AptsLOB0cEtmK6qKMAHbSmscZxoYv7TvPXEjtnIuvKn9CTnE+9xoshh5kzdnXibMR+DIJfYnWHPE1DAZdQ==',
    },
    costs: [
      'scrypt$131072$salt$8$3$E+c7AptsLOB0cEtmK6qKMAHbSmscZxoYv7TvPXEjtnI=',
      'scrypt$262144$salt$8$1$E+c7AptsLOB0cEtmK6qKMAHbSmscZxoYv7TvPXEjtnI=',
    ],
    malformed: [
      'scrypt$17$salt$8$5$E+c7AptsLOB0cEtmK6qKMAHbSmscZxoYv7TvPXEjtnI=',
      'scrypt$1$salt$8$5$E+c7AptsLOB0cEtmK6qKMAHbSmscZxoYv7TvPXEjtnI=',
    ],
  },
  {
    name: 'Werkzeug scrypt',
    hashes: {
      'Werkzeug 3.1':
        'scrypt:16:8:2$rHlaiRuGFw5z22te$b234cfe36b29c1dd73971c9f613fdeeef47164c795bfb9f050c40c8ec94e07b810f71017d18d6985815f424328cb15e4d2f8b7759802c3bbb5baafe6d4e8dc8f',
    },
    costs: [
      'scrypt:131072:8:3$salt$abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab',
      'scrypt:131072:8:4$salt$abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab',
    ],
    malformed: [
      'scrypt:16:8:2$salt$abc',
      'scrypt:16:8$salt$abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab',
      'scrypt:15:8:2$salt$abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab',
    ],
  },
  {
    name: 'Werkzeug pbkdf2',
    hashes: {
      'Werkzeug 2.2, SHA-1': 'pbkdf2:sha1:10$drz7OcGWOIbu7uAP$7a0230b4f817113f7d8a5fc5ee02ffcecb932536',
      'Werkzeug 2.2, SHA-256':
        'pbkdf2:sha256:10$UAjvHWtlM7yTeu90$e23994a74cc6148db2a49bd55e7a718fc7d0c5551dde2f0d68627145a86e93d5',
      'Werkzeug 2.2, SHA-512':
        'pbkdf2:sha512:10$hcI0OiNRTdnDTtQq$cdf19a39a05424c213559c89755470e088f2269b64891df87b4d345d9b1d5eb788a087ec4c8133fcb79b28d06f6bb4701594298a9d14600f1a723dba176a61ea',
    },
    costs: [
      'pbkdf2:sha256:2000000$salt$abababababababababababababababababababababababababababababababab',
      'pbkdf2:sha256:2000001$salt$abababababababababababababababababababababababababababababababab',
    ],
    malformed: [
      'pbkdf2:md5:1000$salt$abababababababababababababababab',
      'pbkdf2:sha256$salt$abababababababababababababababababababababababababababababababab',
    ],
  },
  {
    name: 'WordPress bcrypt',
    hashes: {
      'bcrypt and hmac in Python': '$wp$2y$04$USciQpxD/x3e1uCZPsyhp.csfasbI/JFF8.z0QXDKdih26HGBowgK',
      'password_hash in PHP': [
        '$wp$2y$10$qeleDSuDaeZO5fBsEqFReeWdlqaDnBDBzB16hFgsFnhN9qFBIihvm',
        'BigBike@2026',
      ],
      'leading and trailing whitespace': [
        '$wp$2y$04$USciQpxD/x3e1uCZPsyhp.csfasbI/JFF8.z0QXDKdih26HGBowgK',
        ' \tcorrect horse\n',
      ],
      'more than 72 bytes': ['$wp$2y$04$BIkko2JeDLJ29w9ZJDDfUO5G4e.omJbacpTAid05RqxUEu/bgkWG.', LONG],
      'slashes from wp_magic_quotes': [
        '$wp$2y$04$kFhnpfQ5qca1vh0bQGhWDOEYI1cUvj/uCKQE2HqJtOVjj7WbakCUC',
        "it's a horse",
      ],
    },
    costs: [
      '$wp$2y$14$iu5aAQcScy/qpFAaEGygl.anWpbr.hspSxcQfRYCYm92ST/gLHUVC',
      '$wp$2y$15$iu5aAQcScy/qpFAaEGygl.anWpbr.hspSxcQfRYCYm92ST/gLHUVC',
    ],
    malformed: ['$wp$2y$04$iu5aAQcScy/qpFAaEGygl.anWpbr.hspSxcQfRYCYm92ST/gLHUV'],
  },
  {
    name: 'phpass',
    hashes: {
      'passlib 1.7': '$P$5OzWKhpUrSEY/g.8GMBq35By8tHEDD/',
      'passlib 1.7, in the phpBB format': '$H$5AftdF35xRsSwCuU2P9zBQ0mGPQ0ut/',
      'the cost of WordPress': '$P$BisBuRuU/SjEjl2qgLsb5LKOEzIt.t/',
      'leading and trailing whitespace': ['$P$5OzWKhpUrSEY/g.8GMBq35By8tHEDD/', '\0correct horse  '],
      'slashes from wp_magic_quotes': ['$P$5G7/Xob4Mv7DZe41bH9l39yI0rR1Em/', "it's a horse"],
      'HTML entities from phpBB': ['$H$5CC2wFhXWqLQyKrg1v621YDBnRlKYx0', `horse & <cart> 'x' "`],
      'phpass test.php': ['$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'test12345'],
    },
    costs: ['$P$HZJExhSP3Qszzq8D2qIC.a8VyzxL.n/', '$P$IZJExhSP3Qszzq8D2qIC.a8VyzxL.n/'],
    malformed: [
      '$P$4ZJExhSP3Qszzq8D2qIC.a8VyzxL.n/',
      '$P$5ZJExhSP3Qszzq8D2qIC.a8VyzxL.n2',
      '$P$5ZJExhSP3Qszzq8D2qIC.a8VyzxL.n',
      '$H$TZJExhSP3Qszzq8D2qIC.a8VyzxL.n/',
    ],
  },
  {
    name: 'Better Auth scrypt',
    hashes: {
      'better-auth 1.7.25': [
        'd2cd3203411b67c4cdefc0fe4db7534d:6e6d2092c22a2bc6ded8ecd94377dc98b694cdb964f7f16861c2d001d6a10b5674905ccd2be2b4d813eb554df5020e6a5147156f9d84c4fe0ca9e64f395750fd',
        'ｃａfé passwörd',
      ],
      "Python's hashlib":
        '4d6a2e418b6e09e1e2cf50463f4df32b:72d8f640f2d5a41e75cdfb58dd323c83bd6e82ce705cdf12f973de67c80675ebf098e9416542305c26ea02f9802c5254e0fa5d18e14414520828ef1adc0a242f',
      'the NFKC form': [
        '9694361636a498404998b9ac6d1dfe84:e51214dae076c5c46b5774375d87ae60f5b0ae3b73918c1cc47bdae375e2ca3bc90e3f8ee0f6309319f497cd47b9af5fb7ff04d0872e5e02dd80829dd1302ec9',
        'ｃａｆe\u0301 ﬁne',
      ],
    },
    malformed: [
      '159c8bd679f021c97dbe304717d4d04b:abababababababababababababababababababababababababababababababab',
      '159c8bd679f021c97dbe304717d4d04b:ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB',
    ],
  },
  {
    name: 'ASP.NET Core Identity',
    hashes: {
      "version 3, SHA-1, Python's hashlib":
        'AQAAAAAAAAAKAAAAEMZP3gcW+IVdNQyzkWv9aZZOeew2G6lDNYfceuy1zybaAir+TXND9MK79pbl3uQTrw==',
      "version 3, SHA-256, Python's hashlib":
        'AQAAAAEAAAAKAAAAEBuZdVvIa6MOYDgbubEAIiIJaa1TWNy+3hvSwVxOHjEokznWl9CuxBdbnWD4++n4Yw==',
      "version 3, SHA-512, Python's hashlib":
        'AQAAAAIAAAAKAAAAEEZ0R1XItu6c7Xhmw/be5C5knw52S/syPbI9eornYHjrpOKPxBOoc4+0YDZYHXpI+g==',
      "version 2, Python's hashlib": 'ADQAt2GCGysXB9HnLwLR4Q6f68HwvMUnRlIvzSLOsLS+w5BhUtVinWIddkTLhC/N7g==',
      // From PasswordHasherTest.cs in aspnetcore.
      'version 2, from its tests': [
        'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
        'my password',
      ],
      'version 3, from its tests': [
        'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
        'my password',
      ],
    },
    costs: [aspNet(2_000_000), aspNet(2_000_001)],
    malformed: [aspNet(0), aspNet(10, 3), aspNet(10, 1, 8), 'AQAAAAEAAAAK', aspNet(10, 1, 16, 8)],
  },
  {
    name: 'salted SHA',
    isFast: true,
    hashes: {
      'passlib 1.7, SSHA': '{SSHA}16yiptbsp9l4IJ47n3SA1uvW+2omxBgj',
      'passlib 1.7, SSHA256': '{SSHA256}oBuFbMmesEb19Bz7RR3ymIlYmkJeCbf7By7G0yfkc1g0htCaM6a0tg==',
      'passlib 1.7, SSHA512':
        '{SSHA512}Sb24cMV5/1vsKEaXq8Ou8EFRNw6rmOKJ02aY6y93fLTKg3jUhH5seOGCGCzjKItVzDGOfIJ38pLjJ8GVsJ2aYK41JuRc6/3/',
      "Ory Kratos, Python's hashlib, salt first":
        '$sha256$pf=e1NBTFR9e1BBU1NXT1JEfQ==$M7Fj2CXZURo=$7NIkagH6qFWmePbkWR3BW5qOzN+Hswuvz+RgonPwzPI=',
      "Ory Kratos, Python's hashlib, salt last":
        '$sha512$pf=e1BBU1NXT1JEfXtTQUxUfQ==$uM8c+BwrFFU=$blix3IdcYdBRiizDjnQG+FtHovL44v2p25DAh22QgyqSNTDMeniMIwMgMbzfx5v/A8bwRxtmyhrIp3/7P7cOjQ==',
      "Ory Kratos, Python's hashlib, SHA-1":
        '$sha1$pf=e1BBU1NXT1JEfXtTQUxUfQ==$/FCq54i6PFw=$FMsuI/cHIW/PQyEy+dh0z1zocTE=',
      'Werkzeug 2.2, SHA-256':
        'sha256$wtJIkNbPSsRo5C67$805bb963b7e9b31f6586ef0517c813ae74e44bc2c2812aadeaa8180a1994c6da',
      'Werkzeug 2.2, SHA-512':
        'sha512$DdrJuO9zhTt7va0g$d161d830e490b84908cdb326e6127450894aa97299e207f13cf177253ac4e26f53b10a1a47e756b455ba691f4364f098919e95bf8580b1f31bea61e2ace5ebac',
    },
    malformed: [
      // No salt.
      `{SSHA}${Buffer.alloc(20, 1).toString('base64')}`,
      '$sha256$pf=e1BBU1NXT1JEfQ==$ebFAjrmLV24=$fYELK789xY9S5rQ4XLhQQSyRTzD8P6FYzbmi8DgNor8=',
      '$sha512$pf=e1NBTFR9e1BBU1NXT1JEfQ==$ebFAjrmLV24=$fYELK789xY9S5rQ4XLhQQSyRTzD8P6FYzbmi8DgNor8=',
      'sha256$salt$abababababababababababababababababababab',
    ],
  },
];

/** Returns a version 3 hash of ASP.NET Core Identity. */
function aspNet(iterations: number, digest = 1, saltLength = 16, hashLength = 32): string {
  const head = Buffer.alloc(13);
  head.writeUInt8(1);
  for (const [index, value] of [digest, iterations, saltLength].entries())
    head.writeUInt32BE(value, 1 + 4 * index);
  return Buffer.concat([head, Buffer.alloc(saltLength + hashLength, 7)]).toString('base64');
}

const vectors = families.flatMap(({ name, hashes }) =>
  Object.entries(hashes).map(([source, entry], index) => {
    const [hash, password] = typeof entry === 'string' ? [entry, 'correct horse'] : entry;
    return [`${name}, ${source}`, password, hash, index === 0] as const;
  }),
);
const malformed = families.flatMap(({ name, malformed: texts }) =>
  texts.map((text) => [name, text] as const),
);
const costs = families.flatMap(({ name, costs: pair }) => (pair ? [[name, ...pair] as const] : []));
const fastHashes = families.flatMap(({ isFast, hashes }) => (isFast ? Object.values(hashes) : []));

const allowFastHashes = true;

describe('an imported hash of each family', () => {
  const threads = new HashThreads(2, 4, 4_000);
  const hasher = new PasswordHasher(threads, new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']), 4);
  afterAll(() => threads.close());

  it.each(vectors)('PW-07: matches only its password: %s', async (_, password, hash, isFirst) => {
    const { stored } = hasher.importHash(hash, { allowFastHashes });
    await expect(hasher.verify(password, stored)).resolves.toBe(true);
    for (const other of isFirst
      ? [`${password}x`, `x${password}`, password.replace(/[a-z]/i, ''), password.toUpperCase(), '']
      : [`${password}x`])
      await expect(hasher.verify(other, stored)).resolves.toBe(false);
    expect(hasher.exportHash(stored)).toBe(hash);
  });

  it.each(malformed)('PW-06: rejects a malformed %s hash: %s', (name, text) => {
    expect(importedHashProblem(text, { allowFastHashes })).toBe(`must be a well-formed ${name} hash`);
  });

  it.each(costs)('RL-03: accepts %s up to the maximum cost: %s, but not %s', (name, accepted, rejected) => {
    expect(importedHashProblem(accepted)).toBeNull();
    expect(importedHashProblem(rejected)).toMatch(`must be cheaper to verify: the limit for ${name} is `);
  });

  it('PW-06: accepts salted SHA only with allowFastHashes, and reports it as weak', () => {
    for (const [hash] of fastHashes.map((entry) => [entry].flat())) {
      const parsed = parseImportedHash(hash!, { allowFastHashes });
      expect(importedHashProblem(hash!)).toBe(
        'must not be a salted SHA hash, which is fast to guess, unless the import sets allowFastHashes',
      );
      expect('hash' in parsed && isWeakHash(parsed.hash)).toBe(true);
      expect(hasher.importHash(hash!, { allowFastHashes }).isWeak).toBe(true);
    }
  });

  it('PW-06: rejects unsalted digests, MD5, and formats that two systems use differently', () => {
    for (const text of [
      ...['5f4dcc3b5aa765d61d8327deb882cf99', `${'ab'.repeat(32)}`, '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g='],
      ...[
        'md5$salt$5f4dcc3b5aa765d61d8327deb882cf99',
        `sha1$salt$${'ab'.repeat(20)}`,
        '$1$salt$qJH7.N4xYta3aEG/dfqo/0',
      ],
    ])
      expect(importedHashProblem(text, { allowFastHashes })).toMatch(
        /^must be in one of the formats bcrypt, /,
      );
  });
});
