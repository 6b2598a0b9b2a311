import { CursorCodec } from './cursor-codec.js';
import { Keyring } from './keyring.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const newSecret = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
const codec = new CursorCodec(new Keyring([secret]));
const id = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const list = ['deliveries', { projectId: 'p1' }, { success: false }];
const cursor = codec.encode(list, id);
const expectInvalid = (text: string) =>
  expect(() => codec.decode(list, text)).toThrow(
    expect.objectContaining({ code: 'invalid_cursor', status: 400 }),
  );

describe('CursorCodec', () => {
  it('AK-10, CF-04: decodes its cursors for the same list, even after the secret is rotated', () => {
    expect(codec.decode(list, cursor)).toBe(id);
    expect(new CursorCodec(new Keyring([newSecret, secret])).decode(list, cursor)).toBe(id);
  });

  it('AK-10: rejects a cursor for another list, tenant, filter or secret', () => {
    const [name, access, filter] = list;
    const others = [
      ['events', access, filter],
      [name, { projectId: 'p2' }, filter],
      [name, access, { success: true }],
      [name, access, {}],
    ];
    for (const other of others) expectInvalid(codec.encode(other, id));
    expectInvalid(new CursorCodec(new Keyring([newSecret])).encode(list, id));
  });

  it('AK-10: rejects a cursor with any modified character, or a different length or alphabet', () => {
    for (let index = 0; index < cursor.length; index += 1)
      expectInvalid(cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1));
    const variants = [cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor}\n`];
    const base64 = Buffer.from(cursor, 'base64url').toString('base64');
    for (const text of [...variants, base64, '', id, '%00\u0000🦄', 'A'.repeat(1_000_000)])
      expectInvalid(text);
  });
});
