import type { ClientStorage } from '@gatehouse/js';
import type { SecureStoreModule, SecureStoreOptions } from './native-modules.js';
import { splitText } from './split-text.js';

/** Maximum UTF-8 bytes per item. iOS may reject keychain values of more than 2,048 bytes. */
const MAX_BYTES = 2_000;

/** Prefix of an index that contains the value itself. */
const INLINE = '=';

/**
 * New chunks are written to the slot that is not in use, so that the previous value stays complete until the index
 * refers to the new chunks.
 */
const SLOTS = ['a', 'b'] as const;
type Slot = (typeof SLOTS)[number];

/** Describes where a long value is stored. */
interface Index {
  slot: Slot;
  /** Number of chunks. */
  count: number;
  /** Value length in UTF-16 code units. */
  length: number;
}

/**
 * Returns storage in the keychain (iOS), or storage that is encrypted with a key from the keystore (Android). Values of
 * any length are replaced atomically: if the app is killed between two writes, it reads the previous or the new value
 * at the next start. An incomplete value is read as null.
 */
export function secureStorage(
  secureStore: SecureStoreModule,
  options: SecureStoreOptions = {},
): ClientStorage {
  const {
    keychainAccessible = secureStore.AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY, // Allows background tasks to refresh the session.
  } = options;
  const items = new ChunkedItems(secureStore, { keychainAccessible });
  let last: Promise<unknown> = Promise.resolve();
  /** Runs operations one after the other, so that no read returns a partial write. */
  const enqueue = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    getItem: (key) => enqueue(() => items.read(key)),
    setItem: (key, value) => enqueue(() => items.write(key, value)),
    removeItem: (key) => enqueue(() => items.remove(key)),
  };
}

/** Stores each value in an index and, if it is long, in chunks. */
class ChunkedItems {
  constructor(
    private readonly secureStore: SecureStoreModule,
    private readonly options: SecureStoreOptions,
  ) {}

  async read(key: string): Promise<string | null> {
    const text = await this.get(key);
    if (text === null || text.startsWith(INLINE)) return text?.slice(1) ?? null;
    const index = parseIndex(text);
    if (!index) return null;
    let value = '';
    for (let i = 0; i < index.count; i += 1) value += (await this.get(chunkKey(key, index.slot, i))) ?? '';
    return value.length === index.length ? value : null;
  }

  async write(key: string, value: string): Promise<void> {
    const current = parseIndex(await this.get(key));
    const chunks = splitText(INLINE + value, MAX_BYTES);
    if (chunks.length === 1) {
      await this.set(key, chunks[0]!);
      for (const slot of SLOTS) await this.trim(key, slot, 0);
      return;
    }
    const slot = current?.slot === 'a' ? 'b' : 'a';
    const parts = splitText(value, MAX_BYTES);
    for (const [i, part] of parts.entries()) await this.set(chunkKey(key, slot, i), part);
    await this.set(key, formatIndex({ slot, count: parts.length, length: value.length }));
    await this.trim(key, slot, parts.length);
    await this.trim(key, slot === 'a' ? 'b' : 'a', 0);
  }

  async remove(key: string): Promise<void> {
    await this.secureStore.deleteItemAsync(key, this.options);
    for (const slot of SLOTS) await this.trim(key, slot, 0);
  }

  /**
   * Deletes the chunks from index `from` on, including those from an interrupted write. Starts with the last one, so
   * that an interruption leaves no gap, and the next call finds the remaining chunks.
   */
  private async trim(key: string, slot: Slot, from: number): Promise<void> {
    let count = from;
    while ((await this.get(chunkKey(key, slot, count))) !== null) count += 1;
    for (let i = count - 1; i >= from; i -= 1)
      await this.secureStore.deleteItemAsync(chunkKey(key, slot, i), this.options);
  }

  private get(key: string): Promise<string | null> {
    return this.secureStore.getItemAsync(key, this.options);
  }

  private set(key: string, value: string): Promise<void> {
    return this.secureStore.setItemAsync(key, value, this.options);
  }
}

const chunkKey = (key: string, slot: Slot, number: number): string => `${key}.${slot}.${number}`;

const formatIndex = ({ slot, count, length }: Index): string => `${slot}.${count}.${length}`;

function parseIndex(text: string | null): Index | null {
  const [, slot, count, length] = /^([ab])\.(\d+)\.(\d+)$/.exec(text ?? '') ?? [];
  return slot ? { slot: slot as Slot, count: Number(count), length: Number(length) } : null;
}
