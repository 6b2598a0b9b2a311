type Awaitable<Value> = Value | Promise<Value>;

/** Stores strings by key. `sessionStorage` and React Native's AsyncStorage have this shape. */
export interface ClientStorage {
  getItem(key: string): Awaitable<string | null>;
  setItem(key: string, value: string): Awaitable<unknown>;
  removeItem(key: string): Awaitable<unknown>;
  /** True if other tabs or clients use the same storage. Changes are then announced to them. Default: false. */
  isShared?: boolean;
}

/** Returns a storage that is lost when the page is reloaded or the process ends. */
export function memoryStorage(): ClientStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  };
}

/**
 * Returns a storage that all tabs of the origin share and that a reload does not clear. Without localStorage, or if it
 * is blocked, the data is stored in memory.
 */
export function localStorageStorage(): ClientStorage {
  const storage = browserStorage();
  if (!storage) return memoryStorage();
  return {
    getItem: (key) => storage.getItem(key),
    setItem: (key, value) => storage.setItem(key, value),
    removeItem: (key) => storage.removeItem(key),
    isShared: true,
  };
}

/** Returns the page's localStorage, or null. */
export function browserStorage(): Storage | null {
  try {
    // Without a page, Node.js would warn about its own experimental localStorage.
    return typeof document === 'object' ? (localStorage ?? null) : null;
  } catch {
    return null; // Browsers throw if the user blocks site data.
  }
}
