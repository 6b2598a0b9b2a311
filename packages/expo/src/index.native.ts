import * as crypto from 'expo-crypto';
import * as linking from 'expo-linking';
import * as secureStore from 'expo-secure-store';
import * as webBrowser from 'expo-web-browser';
import { AppState } from 'react-native';
import { createExpoClientOn, type ExpoClient, type ExpoClientOptions } from './expo-client.js';
import type { NativeModules } from './native-modules.js';

const installed: NativeModules = { secureStore, webBrowser, crypto, linking, appState: AppState };

/** Returns a client. One client per app is enough. */
export const createExpoClient = (options: ExpoClientOptions): ExpoClient =>
  createExpoClientOn(options.modules ?? installed, options);

export * from './exports.js';
