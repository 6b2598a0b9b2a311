/** A connection to the other tabs of the origin. */
export interface TabChannel {
  post: (message: string) => void;
}

/** A client's environment. Internal: only this package's tests replace it, to control time and tabs. */
export interface Platform {
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  /** Runs the callback after `ms` milliseconds. Returns a function that cancels it. */
  startTimer: (callback: () => void, ms: number) => () => void;
  /** The Web Locks API, if available. */
  locks?: Pick<LockManager, 'request'> | undefined;
  /**
   * Connects to the other tabs, if the platform supports it.
   * @param receive is called with each message from another tab
   */
  openChannel?: (name: string, receive: (message: string) => void) => TabChannel;
  /** Calls `receive` with the new value when another tab sets the key in localStorage. */
  onStorageChange?: (key: string, receive: (value: string) => void) => void;
  /** Runs the callback when the page becomes visible: a frozen page misses messages from other tabs. */
  onVisible?: (callback: () => void) => void;
}

/** Returns the platform of the current browser, React Native or Node.js process. */
export function currentPlatform(): Platform {
  const platform: Platform = {
    now: () => Date.now(),
    startTimer: (callback, ms) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    // In React Native, `navigator` has no `locks`.
    locks: typeof navigator === 'object' ? navigator.locks : undefined,
  };
  if (typeof BroadcastChannel === 'function') platform.openChannel = openBroadcastChannel;
  // In React Native, `window` has no events.
  if (typeof document === 'object' && typeof addEventListener === 'function') {
    platform.onStorageChange = (key, receive) =>
      addEventListener('storage', (event) => {
        if (event.key === key && event.newValue !== null) receive(event.newValue);
      });
    platform.onVisible = (callback) =>
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') callback();
      });
  }
  return platform;
}

function openBroadcastChannel(name: string, receive: (message: string) => void): TabChannel {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => receive(String(data));
  // An open channel would keep a Node.js process running.
  (channel as { unref?: () => void }).unref?.();
  return { post: (message) => channel.postMessage(message) };
}
