// Declares the parts of the Expo packages that the SDK uses, because they are not installed in this repository. This
// file is not published; test/clients/example-expo.nightly.spec.ts compiles the SDK against the real packages.

declare module 'expo-secure-store' {
  export const AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY: number;
  export function getItemAsync(key: string, options?: object): Promise<string | null>;
  export function setItemAsync(key: string, value: string, options?: object): Promise<void>;
  export function deleteItemAsync(key: string, options?: object): Promise<void>;
}

declare module 'expo-web-browser' {
  export function openAuthSessionAsync(
    url: string,
    redirectUrl: string,
  ): Promise<{ type: string; url?: string }>;
}

declare module 'expo-crypto' {
  export function getRandomValues(array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
}

declare module 'expo-linking' {
  export function createURL(path: string): string;
  export function getInitialURL(): Promise<string | null>;
  export function addEventListener(
    type: 'url',
    listener: (event: { url: string }) => void,
  ): { remove(): void };
}

declare module 'react-native' {
  export const AppState: {
    addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
  };
}
