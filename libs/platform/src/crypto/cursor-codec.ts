import { GatehouseError, uuidToBytes, uuidFromBytes } from '@gatehouse/domain';
import { decodeBase64Url } from './base64url.js';
import type { Keyring } from './keyring.js';

const MAC_LENGTH = 16;
const ID_LENGTH = 16;

/**
 * Encodes the end of a page as an opaque cursor, which is authenticated together with the list, the caller's access
 * scope and the filter.
 */
export class CursorCodec {
  constructor(private readonly keyring: Keyring) {}

  /**
   * Returns the cursor after an item.
   * @param list identifies the list, the access scope and the filter; `decode` requires the same value
   */
  encode(list: unknown, lastId: string): string {
    return this.encodeBytes(list, uuidToBytes(lastId));
  }

  /**
   * Returns the id in a cursor.
   * @throws GatehouseError `invalid_cursor` if the cursor was modified or belongs to another list
   */
  decode(list: unknown, cursor: string): string {
    const uuid = uuidFromBytes(this.decodeBytes(list, cursor, ID_LENGTH));
    if (!uuid) throw new GatehouseError('invalid_cursor');
    return uuid;
  }

  /** Like `encode`, for a list whose order requires more than an id. */
  encodeBytes(list: unknown, position: Buffer): string {
    const mac = this.keyring.mac('cursor', cursorData(list, position)).subarray(0, MAC_LENGTH);
    return Buffer.concat([position, mac]).toString('base64url');
  }

  /**
   * Like `decode`, for positions from `encodeBytes`.
   * @param length the position length in bytes, if it is fixed
   */
  decodeBytes(list: unknown, cursor: string, length?: number): Buffer {
    const bytes = decodeBase64Url(cursor) ?? Buffer.alloc(0);
    const position = bytes.subarray(0, length ?? Math.max(0, bytes.length - MAC_LENGTH));
    const isAuthentic =
      bytes.length === position.length + MAC_LENGTH &&
      this.keyring.verifyMac('cursor', cursorData(list, position), bytes.subarray(position.length));
    if (!isAuthentic) throw new GatehouseError('invalid_cursor');
    return position;
  }
}

const cursorData = (list: unknown, position: Buffer): string =>
  `${JSON.stringify(list)}\n${position.toString('hex')}`;
