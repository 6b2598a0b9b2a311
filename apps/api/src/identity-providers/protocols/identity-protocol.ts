import type {
  ConnectionCheck,
  FieldError,
  IdentityProvider,
  IdentityProviderType,
  ProviderClaims,
  ProviderPreset,
} from '@gatehouse/domain';
import type { ClientColumns } from '@gatehouse/persistence';

/** The provider that a protocol receives. It belongs to a project or to the operators. */
export interface ProtocolProvider<Settings = unknown> extends Pick<
  IdentityProvider,
  'id' | 'type' | 'issuer' | 'sendsAuthTime'
> {
  /** Null for the operators' provider, which may have a private address because its URL is a setting. */
  projectId: string | null;
  /** Changes whenever the settings change. */
  version: number;
  /**
   * Returns the protocol's settings. A secret that cannot be decrypted is `UNREADABLE_SECRET`.
   * @throws Error if the stored settings do not belong to the protocol
   */
  settings(): Settings;
}

/** Placeholder for a secret that cannot be decrypted. No request can contain it. */
export const UNREADABLE_SECRET = '\0';

/** The request fields that input validation has accepted. Null resets a setting to its default. */
export type SettingsPatch = Readonly<Record<string, unknown>>;

/** A protocol's settings format. Settings are stored as one encrypted document. */
export interface ProtocolSettings<Settings> {
  /** Reads a document. A missing setting has its default. @throws Error if the document does not belong to the protocol */
  read(type: IdentityProviderType, document: unknown): Settings;

  /**
   * Applies a merge patch to settings (RFC 7396).
   * @param current null for a new provider
   * @throws GatehouseError `validation_failed`
   */
  merge(type: IdentityProviderType, current: Settings | null, patch: SettingsPatch): Settings;

  /** Returns the errors for settings that are missing, or that belong to another type. */
  errors(type: IdentityProviderType, settings: Settings): FieldError[];

  /** Returns the settings as the API returns them, without secrets. */
  describe(settings: Settings): Record<string, unknown>;

  /**
   * The columns that an earlier version reads and writes (ADR 0110). Absent if that version does not support
   * the protocol.
   */
  readonly columns?: SettingsColumns<Settings>;
}

/** Converts settings from and to the columns of an earlier version. */
export interface SettingsColumns<Settings> {
  /** @param open decrypts a secret, or returns `UNREADABLE_SECRET` */
  read(columns: ClientColumns, open: (sealed: Buffer) => string): unknown;

  /**
   * @param seal encrypts a secret
   * @param before the provider's columns, from which an unreadable secret is retained
   */
  write(
    settings: Settings,
    seal: (secret: string) => Buffer,
    before: ClientColumns | undefined,
  ): ClientColumns;
}

/** The authentication that a caller requires from a provider. */
export interface AuthenticationRequest {
  /** The URL that the provider redirects to, with `state`. */
  callbackUrl: string;
  /** Identifies the flow. */
  state: string;
  /** Maximum age of the sign-in at the provider, in seconds; 0 for a new sign-in. */
  maxAge?: number | undefined;
  /** True if the provider must prompt for the account again. */
  promptsLogin?: boolean | undefined;
  /** The address that the provider should suggest. */
  loginHint?: string | undefined;
}

/** The state that a protocol stores until the browser returns. Only the protocol reads it. */
export type FlowState = Readonly<Record<string, unknown>>;

/** A flow that has started. */
export interface StartedFlow {
  /** URL of the provider's page. */
  url: string;
  flowState: FlowState;
}

/** The parameters with which a browser returns from a provider. */
export type CallbackParameters = Readonly<Record<string, string>>;

/** The claims that a caller needs. */
export interface RequiredClaims {
  /** Returns true if the claims suffice, so that no request is sent for further claims. */
  areComplete(claims: ProviderClaims): boolean;
  /** Returns true if a sign-in can continue with these claims even if a request for further claims fails. */
  areSufficient(claims: ProviderClaims): boolean;
}

/** A flow whose browser has returned. */
export interface CallbackFlow {
  callbackUrl: string;
  parameters: CallbackParameters;
  requiredClaims: RequiredClaims;
  /** Returns the state that the protocol has stored. @throws UnreadableValueError */
  flowState(): FlowState;
}

/** The result of a sign-in at a provider. */
export interface ProviderSignInResult {
  /** Claims with OpenID Connect names. `sub` identifies the account. */
  claims: ProviderClaims;
  /**
   * Time of the sign-in at the provider, in seconds since 1970, from a signed source. Undefined without a
   * signed source.
   */
  authTime: unknown;
  /** True if the provider did not respond to a request that may have returned more claims. */
  isIncomplete: boolean;
  /** True if the provider states sign-in times; null if that is unknown. */
  sendsAuthTime: boolean | null;
}

/** A token that an app has received from a provider. */
export interface AppToken {
  idToken: string;
  /** The nonce that the app has sent. Undefined if the app cannot read the nonce of its SDK. */
  nonce?: string | undefined;
}

/** An app's verified token. */
export interface VerifiedAppToken {
  claims: ProviderClaims;
  /**
   * The header and the claims as signed. They identify the token, because the same content can have several
   * signatures.
   */
  signedText: string;
  issuedAt: Date;
  /** The time after which the token is no longer accepted. */
  acceptedUntil: Date;
}

/**
 * A protocol for signing in with providers. To add one, add a folder here and list its class in
 * `identity-protocols.ts`. Errors become `provider_unavailable` or `sign_in_failed`
 * (provider-requests.service.ts).
 */
export interface IdentityProtocol<Settings = unknown> {
  /** The provider types that use the protocol. */
  readonly presets: Readonly<Partial<Record<IdentityProviderType, ProviderPreset>>>;

  readonly settings: ProtocolSettings<Settings>;

  /** Begins a flow. @throws Error if the provider is unavailable or not configured correctly */
  begin(provider: ProtocolProvider<Settings>, request: AuthenticationRequest): Promise<StartedFlow>;

  /** Returns true if the sign-in was declined at the provider. */
  isDenied(parameters: CallbackParameters): boolean;

  /** Verifies a callback. @throws Error if it does not prove an identity, or the provider is unavailable */
  finish(provider: ProtocolProvider<Settings>, flow: CallbackFlow): Promise<ProviderSignInResult>;

  /** Tests whether sign-ins can succeed, and returns what must be changed. */
  test(provider: ProtocolProvider<Settings>, callbackUrl: string): Promise<ConnectionCheck[]>;

  /** Verifies an app's token. Absent if none of the protocol's providers has native sign-in. @throws Error */
  verifyAppToken?(provider: ProtocolProvider<Settings>, token: AppToken): Promise<VerifiedAppToken>;
}
