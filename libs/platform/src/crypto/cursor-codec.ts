import { GatehouseError, uuidToBytes, uuidFromBytes } from '@gatehouse/domain';
import type { Keyring } from './keyring.js';

const MAC_LENGTH = 16;
const ID_LENGTH = 16;

/** Opaque list cursors: where a page ended, authenticated together with the list, the caller's reach and the filter. */
export class CursorCodec {
  constructor(private readonly keyring: Keyring) {}

  /** @param list whatever makes this list this list; the same value must be given to `open` */
  encode(list: unknown, lastId: string): string {
    return this.encodeBytes(list, uuidToBytes(lastId));
  }

  /** @throws GatehouseError `invalid_cursor` when it was changed or belongs to another list */
  decode(list: unknown, cursor: string): string {
    const uuid = uuidFromBytes(this.decodeBytes(list, cursor, ID_LENGTH));
    if (!uuid) throw new GatehouseError('invalid_cursor');
    return uuid;
  }

  /** Like `seal`, for a list whose order needs more than an id. */
  encodeBytes(list: unknown, position: Buffer): string {
    const mac = this.keyring.mac('cursor', cursorData(list, position)).subarray(0, MAC_LENGTH);
    return Buffer.concat([position, mac]).toString('base64url');
  }

  /**
   * Like `open`, for the positions that `sealBytes` took.
   * @param length of the position, in bytes, where it is always the same
   */
  decodeBytes(list: unknown, cursor: string, length?: number): Buffer {
    const bytes = Buffer.from(cursor, 'base64url');
    const position = bytes.subarray(0, length ?? Math.max(0, bytes.length - MAC_LENGTH));
    const isGenuine =
      bytes.length === position.length + MAC_LENGTH &&
      bytes.toString('base64url') === cursor &&
      this.keyring.verifyMac('cursor', cursorData(list, position), bytes.subarray(position.length));
    if (!isGenuine) throw new GatehouseError('invalid_cursor');
    return position;
  }
}

const cursorData = (list: unknown, position: Buffer): string =>
  `${JSON.stringify(list)}\n${position.toString('hex')}`;
