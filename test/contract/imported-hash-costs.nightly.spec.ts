import { HashThreads, parseImportedHash } from '@gatehouse/platform';

const salt = Buffer.alloc(16, 1).toString('base64').replace(/=+$/, '');
const hash32 = Buffer.alloc(32, 2).toString('base64').replace(/=+$/, '');

describe('HashThreads', () => {
  const threads = new HashThreads(2, 4, 4_000);
  afterAll(() => threads.close());

  it('RL-03: verifies imported hashes up to the highest accepted cost', async () => {
    const hashes = [
      '$argon2id$v=19$m=131072,t=1,p=16',
      '$argon2i$v=19$m=131072,t=1,p=16',
      '$scrypt$ln=17,r=8,p=1',
      '$scrypt$ln=1,r=1,p=1048576',
      '$scrypt$ln=1,r=524288,p=1',
    ].map((parameters) => `${parameters}$${salt}$${hash32}`);
    const phpass = '$P$HZJExhSP3Qszzq8D2qIC.a8VyzxL.n/';
    for (const hash of [...hashes, phpass]) {
      const parsed = parseImportedHash(hash);
      if ('problem' in parsed) throw new Error(parsed.problem);
      const imported = { passwords: ['correct horse'], imported: parsed.hash, weight: 1 };
      await expect(threads.run<boolean>(imported)).resolves.toBe(false);
    }
  });
});
