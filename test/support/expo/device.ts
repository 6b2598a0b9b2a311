import {
  createExpoClient,
  type ExpoClient,
  type ExpoClientOptions,
  type NativeModules,
} from '@gatehouse/expo';
import { getRandomValues } from 'node:crypto';
import type { TestInstance } from '../test-instance.js';

/** The URL to which the browser returns after a sign-in, for an app with the scheme com.example.app. */
export const APP_URL = 'com.example.app://signed-in';

type Listener<Event> = (event: Event) => void;
type BrowserResult = Awaited<ReturnType<NativeModules['webBrowser']['openAuthSessionAsync']>>;

/** A device with an app and fake native modules. Its keychain outlives the app's process. */
export class Device {
  readonly keychain = new Map<string, string>();
  /** The link that starts the app. */
  initialUrl: string | null = null;
  /** The app's URL for the path `signed-in`. */
  appUrl = APP_URL;
  /** The customer's actions in the browser. */
  browse: (url: string, returnUrl: string) => Promise<BrowserResult> = async () => ({ type: 'cancel' });
  private links = new Set<Listener<{ url: string }>>();
  private states = new Set<Listener<string>>();
  private client: ExpoClient | undefined;

  constructor(private readonly instance: TestInstance) {}

  /** Ends the app's process, and starts the app again. */
  start(options: Partial<ExpoClientOptions> = {}): ExpoClient {
    this.client?.close();
    const { publishableKey } = this.instance.credentials;
    this.client = createExpoClient({
      url: this.instance.baseUrl,
      publishableKey,
      modules: this.modules,
      ...options,
    });
    return this.client;
  }

  /** Opens a link in the running app. */
  openLink(url: string): void {
    for (const listener of this.links) listener({ url });
  }

  /** Changes the app's state: `active`, `background` or `inactive`. */
  changeState(state: string): void {
    for (const listener of this.states) listener(state);
  }

  /** The running app's listener count. */
  get listenerCount(): number {
    return this.links.size + this.states.size;
  }

  get modules(): NativeModules {
    const { keychain } = this;
    return {
      secureStore: {
        AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY: 1,
        getItemAsync: async (key) => keychain.get(key) ?? null,
        setItemAsync: async (key, value) => void keychain.set(key, value),
        deleteItemAsync: async (key) => void keychain.delete(key),
      },
      webBrowser: { openAuthSessionAsync: (url, returnUrl) => this.browse(url, returnUrl) },
      crypto: { getRandomValues },
      linking: {
        createURL: () => this.appUrl,
        getInitialURL: async () => this.initialUrl,
        addEventListener: (_, listener) => subscribe(this.links, listener),
      },
      appState: { addEventListener: (_, listener) => subscribe(this.states, listener) },
    };
  }
}

function subscribe<Value>(listeners: Set<Value>, listener: Value): { remove: () => void } {
  listeners.add(listener);
  return { remove: () => listeners.delete(listener) };
}
