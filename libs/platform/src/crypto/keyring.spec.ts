import { Keyring } from './keyring.js';

const oldSecret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const newSecret = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
const ring = new Keyring([newSecret, oldSecret]);
const before = new Keyring([oldSecret]);
const after = new Keyring([newSecret]);

const flip = (bytes: Buffer, index: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[index]! ^= 1;
  return copy;
};

describe('Keyring: encryption', () => {
  it('WH-09: round-trips any string with a unique ciphertext that does not contain it', () => {
    for (const plain of ['', 'whsec_abc', 'Ünï©ode 🦄', 'x'.repeat(100_000)]) {
      const [one, two] = [1, 2].map(() => ring.encrypt('webhook-secret', 'ep_1', plain));
      expect(ring.decrypt('webhook-secret', 'ep_1', one!)).toBe(plain);
      expect(plain !== '' && one!.includes(plain)).toBe(false);
      expect(one!.equals(two!)).toBe(false);
    }
  });

  it('WH-09: rejects a ciphertext that was modified, truncated, or moved', () => {
    const sealed = ring.encrypt('webhook-secret', 'ep_1', 'whsec_plain');
    for (let index = 0; index < sealed.length; index += 1)
      for (const other of [flip(sealed, index), sealed.subarray(0, index)])
        expect(() => ring.decrypt('webhook-secret', 'ep_1', other)).toThrow();
    const message = 'the encrypted value was modified or belongs to another row';
    for (const other of [flip(sealed, sealed.length - 1), sealed.subarray(0, 20)])
      expect(() => ring.decrypt('webhook-secret', 'ep_1', other)).toThrow(message);
    expect(() => ring.decrypt('webhook-secret', 'ep_2', sealed)).toThrow(message);
    expect(() => ring.decrypt('mail-parameters', 'ep_1', sealed)).toThrow(message);
  });

  it('CF-04: decrypts with an older secret of the ring, and reports the id of a missing one', () => {
    const sealed = before.encrypt('signing-key', 'kid', 'pem');
    expect(ring.decrypt('signing-key', 'kid', sealed)).toBe('pem');
    expect(() => before.decrypt('signing-key', 'kid', ring.encrypt('signing-key', 'kid', 'pem'))).toThrow();
    expect(() => after.decrypt('signing-key', 'kid', sealed)).toThrow(
      `no entry of GATEHOUSE_SECRET has the id ${sealed.subarray(0, 4).toString('hex')}`,
    );
  });

  it('CF-04: lists the ids of its secrets, which are the prefixes of encrypted values', () => {
    const kids = [after, before].map((each) =>
      each.encrypt('signing-key', 'kid', 'pem').toString('hex', 0, 4),
    );
    expect(ring.listKids()).toEqual(kids);
  });
});

describe('Keyring: MACs and peppers', () => {
  it('CF-04: signs with the newest key, and verifies with every key of the ring', () => {
    expect(ring.verifyMac('cursor', 'data', before.mac('cursor', 'data'))).toBe(true);
    expect(after.verifyMac('cursor', 'data', ring.mac('cursor', 'data'))).toBe(true);
    expect(after.verifyMac('cursor', 'data', before.mac('cursor', 'data'))).toBe(false);
  });

  it('verifies a MAC, even truncated to 16 bytes, only for its data and purpose', () => {
    const mac = ring.mac('cursor', 'data');
    expect(ring.verifyMac('cursor', 'other', mac)).toBe(false);
    expect(ring.verifyMac('refresh-token', 'data', mac)).toBe(false);
    expect(ring.verifyMac('cursor', 'data', mac.subarray(0, 16))).toBe(true);
    for (const other of [flip(mac, 0), ...[0, 1, 15].map((length) => mac.subarray(0, length))])
      expect(ring.verifyMac('cursor', 'data', other)).toBe(false);
  });

  it('derives a different key for each purpose, and never returns the secret itself', () => {
    const purposes = ['cursor', 'refresh-token', 'refresh-successor', 'password-pepper'] as const;
    const macs = purposes.map((purpose) => ring.mac(purpose, 'data').toString('hex'));
    expect(new Set(macs).size).toBe(macs.length);
    expect(ring.getCurrentPepper().key.equals(Buffer.from(newSecret))).toBe(false);
  });

  it('CF-04: returns a pepper by its id while its secret is in the ring', () => {
    const { kid, key } = before.getCurrentPepper();
    expect(kid).toMatch(/^[0-9a-f]{8}$/);
    expect(ring.getPepper(kid).equals(key)).toBe(true);
    expect(ring.getCurrentPepper().kid).not.toBe(kid);
    expect(() => after.getPepper(kid)).toThrow(kid);
  });
});
