export {
  GatehouseError,
  type AuthState,
  type Challenge,
  type Client,
  type Customer,
  type CustomerSummary,
  type RedirectResult,
  type Session,
  type SignInResult,
} from '@gatehouse/js';
export {
  Loading,
  SignedIn,
  SignedOut,
  useAuth,
  useCustomer,
  type Auth,
  type CustomerProfile,
  type Redirect,
} from '@gatehouse/react/hooks';
export { appleSignIn, type AppleAuthenticationModule, type AppleCredential } from './apple-sign-in.js';
export type { BrowserFlow, BrowserFunction } from './browser-flows.js';
export type { ExpoClient, ExpoClientOptions, ProviderFlow, ProviderFunction } from './expo-client.js';
export { GatehouseProvider, type GatehouseProviderProps } from './gatehouse-provider.js';
export { googleSignIn, type GoogleSigninModule, type GoogleSignInOptions } from './google-sign-in.js';
export type {
  AppStateModule,
  CryptoModule,
  LinkingModule,
  NativeModules,
  SecureStoreModule,
  SecureStoreOptions,
  Subscription,
  WebBrowserModule,
} from './native-modules.js';
export type { NativeProof, NativeSignIn, PersonName } from './native-sign-in.js';
export type { RedirectOutcome } from './redirect-links.js';
export type { RedirectOptions } from './redirect-target.js';
export { secureStorage } from './secure-storage.js';
export type { SignInActions, SignInState } from './sign-in-actions.js';
export { useRedirect } from './use-redirect.js';
export { useSignIn, type SignInForm } from './use-sign-in.js';
