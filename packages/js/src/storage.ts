type Awaitable<Value> = Value | Promise<Value>;

/** Stores strings by key, like `sessionStorage` or React Native's AsyncStorage. */
export interface ClientStorage {
  getItem(key: string): Awaitable<string | null>;
  setItem(key: string, value: string): Awaitable<unknown>;
  removeItem(key: string): Awaitable<unknown>;
  /** True if other tabs use the same storage. Changes, including tokens, are then sent to them. Default: false. */
  isShared?: boolean;
}

/** Returns storage whose contents are lost when the page is reloaded or the process ends. */
export function memoryStorage(): ClientStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  };
}

/**
 * Returns storage that is shared by all tabs of the origin and survives a reload. Falls back to memory if
 * localStorage is missing or blocked.
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
    // Accessing localStorage in Node.js would print an experimental warning.
    return typeof document === 'object' ? (localStorage ?? null) : null;
  } catch {
    return null; // Browsers throw if the user blocks site data.
  }
}
