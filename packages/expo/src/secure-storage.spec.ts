import type { SecureStoreModule } from './native-modules.js';
import { secureStorage } from './secure-storage.js';

/** A fake keychain that can simulate the end of the process between two changes. */
class Keychain implements SecureStoreModule {
  readonly AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY = 1;
  readonly items = new Map<string, string>();
  readonly accessibilities = new Set<number | undefined>();
  /** Number of changes until the process ends. */
  remainingChanges = Infinity;
  changes = 0;

  async getItemAsync(key: string): Promise<string | null> {
    checkKey(key);
    if (this.remainingChanges < 0) throw new Error('the process has ended');
    return this.items.get(key) ?? null;
  }

  async setItemAsync(key: string, value: string, options?: { keychainAccessible?: number }): Promise<void> {
    checkKey(key);
    if (Buffer.byteLength(value) > 2_048) throw new Error(`${key} is too long`);
    this.change();
    this.items.set(key, value);
    this.accessibilities.add(options?.keychainAccessible);
  }

  async deleteItemAsync(key: string): Promise<void> {
    checkKey(key);
    this.change();
    this.items.delete(key);
  }

  private change(): void {
    this.remainingChanges -= 1;
    if (this.remainingChanges < 0) throw new Error('the process has ended');
    this.changes += 1;
  }
}

function checkKey(key: string): void {
  if (!/^[\w.-]+$/.test(key)) throw new Error(`${key} is not a valid key`);
}

const KEY = 'gatehouse.session';
const short = 'short';
const long = 'a'.repeat(5_000);
/** Contains characters of one to four UTF-8 bytes. */
const longer = 'bäß€😀'.repeat(1_000);

it('splits long values into items that the keychain accepts, and removes all items', async () => {
  const keychain = new Keychain();
  const storage = secureStorage(keychain);
  expect(await storage.getItem(KEY)).toBeNull();
  for (const value of ['', short, long, longer, '=', 'a.1.1', 'x'.repeat(1_999), long, short]) {
    await storage.setItem(KEY, value);
    expect(await storage.getItem(KEY)).toBe(value);
    expect(await secureStorage(keychain).getItem(KEY)).toBe(value);
  }
  expect([...keychain.items.keys()]).toEqual([KEY]);
  await storage.setItem(KEY, longer);
  await storage.removeItem(KEY);
  expect([...keychain.items]).toEqual([]);
});

it('uses the configured accessibility, and by default one that allows background tasks', async () => {
  const keychain = new Keychain();
  await secureStorage(keychain).setItem(KEY, long);
  expect([...keychain.accessibilities]).toEqual([1]);
  keychain.accessibilities.clear();
  await secureStorage(keychain, { keychainAccessible: 7 }).setItem(KEY, long);
  expect([...keychain.accessibilities]).toEqual([7]);
});

/** Stores `from`, then replaces it with `to`, ending the process after this many changes. Null means no value. */
async function interrupt(from: string | null, to: string | null, changes: number): Promise<Keychain> {
  const keychain = new Keychain();
  if (from !== null) await secureStorage(keychain).setItem(KEY, from);
  keychain.changes = 0;
  keychain.remainingChanges = changes;
  const storage = secureStorage(keychain);
  await Promise.resolve(to === null ? storage.removeItem(KEY) : storage.setItem(KEY, to)).catch(
    () => undefined,
  );
  keychain.remainingChanges = Infinity;
  return keychain;
}

/** Returns the number of keychain items that a value takes. */
async function countItems(value: string): Promise<number> {
  const keychain = new Keychain();
  await secureStorage(keychain).setItem(KEY, value);
  return keychain.items.size;
}

it('reads the previous or the new value if the process ends between any two changes', async () => {
  const values = [null, short, long, longer];
  const failures: string[] = [];
  let interruptions = 0;
  for (const from of values) {
    for (const to of values) {
      const total = (await interrupt(from, to, Infinity)).changes;
      for (let changes = 0; changes <= total; changes += 1) {
        const keychain = await interrupt(from, to, changes);
        const storage = secureStorage(keychain);
        const found = await storage.getItem(KEY);
        const description = `${from?.length} to ${to?.length}, ended after ${changes} of ${total} changes`;
        if (found !== to && (found !== from || changes === total))
          failures.push(`${description}: wrong value`);
        for (const next of [long, longer, short]) {
          await storage.setItem(KEY, next);
          if ((await storage.getItem(KEY)) !== next) failures.push(`${description}: the next value is wrong`);
          if (keychain.items.size !== (await countItems(next)))
            failures.push(`${description}: the next value has other items`);
        }
        await storage.removeItem(KEY);
        if (keychain.items.size > 0) failures.push(`${description}: items are left`);
        interruptions += 1;
      }
    }
  }
  expect(failures).toEqual([]);
  expect(interruptions).toBeGreaterThan(60);
});

it('reads a value with a missing item or an invalid index as null, and replaces it', async () => {
  const complete = new Keychain();
  await secureStorage(complete).setItem(KEY, long);
  for (const key of complete.items.keys()) {
    for (const damage of [undefined, 'damaged']) {
      const keychain = new Keychain();
      for (const [name, value] of complete.items) keychain.items.set(name, value);
      if (damage === undefined) keychain.items.delete(key);
      else keychain.items.set(key, damage);
      const storage = secureStorage(keychain);
      expect([key, damage, await storage.getItem(KEY)]).toEqual([key, damage, null]);
      await storage.setItem(KEY, longer);
      expect(await storage.getItem(KEY)).toBe(longer);
    }
  }
});

it('runs operations in call order', async () => {
  const storage = secureStorage(new Keychain());
  const [, first, , second] = await Promise.all([
    storage.setItem(KEY, long),
    storage.getItem(KEY),
    storage.setItem(KEY, longer),
    storage.getItem(KEY),
  ]);
  expect(first).toBe(long);
  expect(second).toBe(longer);
});
