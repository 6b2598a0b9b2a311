/** A connection to the origin's other tabs. */
export interface TabChannel {
  post: (message: string) => void;
}

/**
 * The client's environment. This package's tests replace it to control time and tabs. It is internal: applications
 * cannot set it.
 */
export interface Platform {
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  /** Calls back after this many milliseconds. Returns a function that cancels the call. */
  startTimer: (callback: () => void, ms: number) => () => void;
  /** Web Locks, where they exist. */
  locks?: Pick<LockManager, 'request'> | undefined;
  /** Connects to the other tabs, where that is possible. @param receive is called with each message from another tab */
  openChannel?: (name: string, receive: (message: string) => void) => TabChannel;
  /** Calls back with the new value when another tab sets a key of localStorage. */
  onStorageChange?: (key: string, receive: (value: string) => void) => void;
  /** Calls back when the page becomes visible, because a frozen page misses other tabs' messages. */
  onVisible?: (callback: () => void) => void;
}

/** Returns the platform for a browser, React Native or Node.js. */
export function currentPlatform(): Platform {
  const platform: Platform = {
    now: () => Date.now(),
    startTimer: (callback, ms) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    // React Native has a navigator without locks.
    locks: typeof navigator === 'object' ? navigator.locks : undefined,
  };
  if (typeof BroadcastChannel === 'function') platform.openChannel = openBroadcastChannel;
  // React Native has a window without events.
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
