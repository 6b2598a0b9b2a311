import { CursorCodec } from './cursor.js';
import { Keyring } from './keyring.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const codec = new CursorCodec(new Keyring([secret]));
const id = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const list = ['deliveries', { projectId: 'p1' }, { success: false }];
const invalid = expect.objectContaining({ code: 'invalid_cursor', status: 400 });

describe('CursorCodec', () => {
  it('AK-10: opens what it sealed for the same list', () => {
    expect(codec.open(list, codec.seal(list, id))).toBe(id);
  });

  it.each([
    ['another list', ['events', { projectId: 'p1' }, { success: false }]],
    ["another tenant's reach", ['deliveries', { projectId: 'p2' }, { success: false }]],
    ['another filter', ['deliveries', { projectId: 'p1' }, { success: true }]],
    ['no filter', ['deliveries', { projectId: 'p1' }, {}]],
  ])('AK-10: a cursor of %s is invalid', (_, other) => {
    expect(() => codec.open(list, codec.seal(other, id))).toThrow(invalid);
  });

  it('AK-10: a cursor under another secret is invalid', () => {
    const other = new CursorCodec(new Keyring(['Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0']));
    expect(() => codec.open(list, other.seal(list, id))).toThrow(invalid);
  });

  it('CF-04: a cursor outlives a new secret in front of the ring', () => {
    const rotated = new CursorCodec(new Keyring(['Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0', secret]));
    expect(rotated.open(list, codec.seal(list, id))).toBe(id);
  });

  it('AK-10: no changed character goes unnoticed', () => {
    const cursor = codec.seal(list, id);
    for (let index = 0; index < cursor.length; index += 1) {
      const other = cursor[index] === 'A' ? 'B' : 'A';
      expect(() => codec.open(list, cursor.slice(0, index) + other + cursor.slice(index + 1))).toThrow(
        invalid,
      );
    }
  });

  it.each([
    ['nothing', () => ''],
    ['a bare id', () => id],
    ['one character less', (cursor: string) => cursor.slice(0, -1)],
    ['one character more', (cursor: string) => `${cursor}A`],
    ['padding', (cursor: string) => `${cursor}=`],
    ['a blank', (cursor: string) => ` ${cursor}`],
    ['a line feed', (cursor: string) => `${cursor}\n`],
    ['the other base64 alphabet', (cursor: string) => Buffer.from(cursor, 'base64url').toString('base64')],
    ['garbage', () => '%00\u0000🦄'],
    ['a megabyte', () => 'A'.repeat(1_000_000)],
  ])('AK-10: %s is invalid', (_, change) => {
    expect(() => codec.open(list, change(codec.seal(list, id)))).toThrow(invalid);
  });

  it('is opaque: the same id in two lists gives two cursors', () => {
    expect(codec.seal(list, id)).not.toBe(codec.seal(['events'], id));
  });
});
