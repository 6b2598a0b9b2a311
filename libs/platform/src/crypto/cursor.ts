import { GatehouseError, uuidBytes, uuidFromBytes } from '#domain';
import type { Keyring } from './keyring.js';

const MAC_LENGTH = 16;
const CURSOR_LENGTH = 16 + MAC_LENGTH;

/** Opaque list cursors: the last id, authenticated together with the list, the caller's reach and the filter. */
export class CursorCodec {
  constructor(private readonly keyring: Keyring) {}

  /** @param list whatever makes this list this list; the same value must be given to `open` */
  seal(list: unknown, lastId: string): string {
    const id = uuidBytes(lastId);
    const mac = this.keyring.mac('cursor', cursorData(list, id)).subarray(0, MAC_LENGTH);
    return Buffer.concat([id, mac]).toString('base64url');
  }

  /** @throws GatehouseError `invalid_cursor` when it was changed or belongs to another list */
  open(list: unknown, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url');
    const id = bytes.subarray(0, 16);
    const genuine =
      bytes.length === CURSOR_LENGTH &&
      bytes.toString('base64url') === cursor &&
      this.keyring.verifyMac('cursor', cursorData(list, id), bytes.subarray(16));
    const uuid = uuidFromBytes(id);
    if (!genuine || !uuid) throw new GatehouseError('invalid_cursor');
    return uuid;
  }
}

const cursorData = (list: unknown, id: Buffer): string => `${JSON.stringify(list)}\n${id.toString('hex')}`;
