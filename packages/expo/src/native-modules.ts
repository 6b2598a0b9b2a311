/** The part of `expo-secure-store` that the SDK uses. */
export interface SecureStoreModule {
  getItemAsync(key: string, options?: SecureStoreOptions): Promise<string | null>;
  setItemAsync(key: string, value: string, options?: SecureStoreOptions): Promise<void>;
  deleteItemAsync(key: string, options?: SecureStoreOptions): Promise<void>;
  /** The default for the `keychainAccessible` option. */
  readonly AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY: number;
}

export interface SecureStoreOptions {
  /** iOS: controls when the items are accessible, such as `SecureStore.WHEN_UNLOCKED_THIS_DEVICE_ONLY`. */
  keychainAccessible?: number | undefined;
}

/** The part of `expo-web-browser` that the SDK uses. */
export interface WebBrowserModule {
  /**
   * Opens a browser over the app. Resolves when the browser closes, with the URL if it was redirected to `redirectUrl`.
   */
  openAuthSessionAsync(url: string, redirectUrl: string): Promise<{ type: string; url?: string }>;
}

/** The part of `expo-crypto` that the SDK uses. */
export interface CryptoModule {
  getRandomValues(array: Uint8Array<ArrayBuffer>): unknown;
}

/** A listener registration. */
export interface Subscription {
  remove(): void;
}

/** The part of `expo-linking` that the SDK uses. */
export interface LinkingModule {
  /** Returns the URL for a path in the app. The URL differs between Expo Go and builds. */
  createURL(path: string): string;
  /** Returns the URL that started the app, or null. */
  getInitialURL(): Promise<string | null>;
  addEventListener(type: 'url', listener: (event: { url: string }) => void): Subscription;
}

/** The part of `AppState` from `react-native` that the SDK uses. */
export interface AppStateModule {
  addEventListener(type: 'change', listener: (state: string) => void): Subscription;
}

/** The native modules that every app needs. The SDK imports them; tests can replace them. */
export interface NativeModules {
  secureStore: SecureStoreModule;
  webBrowser: WebBrowserModule;
  crypto: CryptoModule;
  linking: LinkingModule;
  appState: AppStateModule;
}
