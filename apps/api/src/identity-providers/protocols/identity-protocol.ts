import type {
  ConnectionCheck,
  FieldError,
  IdentityProvider,
  IdentityProviderType,
  ProviderClaims,
  ProviderPreset,
} from '@gatehouse/domain';
import type { ClientColumns } from '@gatehouse/persistence';

/** A provider as its protocol sees it. It belongs to a project or to the operators. */
export interface ProtocolProvider<Settings = unknown> extends Pick<
  IdentityProvider,
  'id' | 'type' | 'issuer' | 'statesAuthTime'
> {
  /** Null for the operators' provider, which may have a private address: its URL is a setting. */
  projectId: string | null;
  /** Changes whenever the settings change. */
  version: number;
  /**
   * Returns the settings of the protocol. A secret that cannot be decrypted is `UNREADABLE_SECRET`.
   * @throws Error if they are not stored as the protocol stores them
   */
  settings(): Settings;
}

/** Stands for a secret that cannot be decrypted. No request can contain it. */
export const UNREADABLE_SECRET = '\0';

/** The fields of a request, as far as the input validation has accepted them. null resets a setting to its default. */
export type SettingsPatch = Readonly<Record<string, unknown>>;

/** The settings of a protocol, which are stored as one encrypted document. */
export interface ProtocolSettings<Settings> {
  /** Reads a document. A missing setting has its default. @throws Error if the document is not one of the protocol */
  read(type: IdentityProviderType, document: unknown): Settings;

  /**
   * Returns settings after a merge patch (RFC 7396).
   * @param current null for a new provider
   * @throws GatehouseError `validation_failed`
   */
  merge(type: IdentityProviderType, current: Settings | null, patch: SettingsPatch): Settings;

  /** Returns the errors of settings that are missing, or that another type has. */
  errors(type: IdentityProviderType, settings: Settings): FieldError[];

  /** Returns the settings as the API shows them, without secrets. */
  describe(settings: Settings): Record<string, unknown>;

  /** The columns that an earlier version reads and writes (ADR 0110). Absent if it does not know the protocol. */
  readonly columns?: SettingsColumns<Settings>;
}

/** Converts settings from and to the columns of an earlier version. */
export interface SettingsColumns<Settings> {
  /** @param open decrypts a secret, or returns `UNREADABLE_SECRET` */
  read(columns: ClientColumns, open: (sealed: Buffer) => string): unknown;

  /**
   * @param seal encrypts a secret
   * @param before the columns of the provider, in which an unreadable secret stays
   */
  write(
    settings: Settings,
    seal: (secret: string) => Buffer,
    before: ClientColumns | undefined,
  ): ClientColumns;
}

/** What a provider is asked for. */
export interface AuthenticationRequest {
  /** The URL to which the provider leads back, with `state`. */
  callbackUrl: string;
  /** Identifies the flow. */
  state: string;
  /** Maximum age of the sign-in at the provider, in seconds; 0 for a new one. */
  maxAge?: number | undefined;
  /** True if the provider must ask for the account again. */
  isPrompted?: boolean | undefined;
  /** The address that the provider suggests. */
  loginHint?: string | undefined;
}

/** What a protocol remembers until the browser returns. Only the protocol reads it. */
export type FlowState = Readonly<Record<string, unknown>>;

/** A flow that has begun. */
export interface BegunFlow {
  /** The page of the provider. */
  url: string;
  flowState: FlowState;
}

/** The parameters with which a browser returns from a provider. */
export type CallbackParameters = Readonly<Record<string, string>>;

/** What a caller needs to know about a person. */
export interface NeededClaims {
  /** Returns whether the claims suffice, so that no further request is made for others. */
  areComplete(claims: ProviderClaims): boolean;
  /** Returns whether a sign-in can continue with the claims if a further request fails. */
  areSufficient(claims: ProviderClaims): boolean;
}

/** A flow whose browser has returned. */
export interface ReturnedFlow {
  callbackUrl: string;
  parameters: CallbackParameters;
  needed: NeededClaims;
  /** Returns what the protocol has remembered. @throws UnreadableValueError */
  flowState(): FlowState;
}

/** A person who has signed in at a provider. */
export interface ProvenPerson {
  /** Named like the claims of OpenID Connect. `sub` identifies the person. */
  claims: ProviderClaims;
  /** When the person signed in at the provider, in seconds since 1970, from a signed source. Undefined without one. */
  authTime: unknown;
  /** True if the provider did not respond to a request that may have returned more claims. */
  isIncomplete: boolean;
  /** Whether the provider states when a person has signed in; null if it does not show. */
  statesAuthTime: boolean | null;
}

/** A token that an app has received from a provider. */
export interface AppToken {
  idToken: string;
  /** The nonce that the app has sent. Undefined if it does not know that of its SDK. */
  nonce?: string | undefined;
}

/** A verified token of an app. */
export interface VerifiedAppToken {
  claims: ProviderClaims;
  /** The header and the claims as they were signed. Identifies the token: one content can have several signatures. */
  signedText: string;
  issuedAt: Date;
  /** The time after which the token is no longer accepted. */
  acceptedUntil: Date;
}

/**
 * A protocol with which providers prove who a person is. To add one, add a folder here and list its class in
 * `identity-protocols.ts`. Errors become `provider_unavailable` or `sign_in_failed` (provider-requests.service.ts).
 */
export interface IdentityProtocol<Settings = unknown> {
  /** The types of providers that use the protocol. */
  readonly presets: Readonly<Partial<Record<IdentityProviderType, ProviderPreset>>>;

  readonly settings: ProtocolSettings<Settings>;

  /** Begins a flow. @throws Error if the provider is unavailable or not configured correctly */
  begin(provider: ProtocolProvider<Settings>, request: AuthenticationRequest): Promise<BegunFlow>;

  /** Returns whether the person has not agreed to sign in. */
  isDenied(parameters: CallbackParameters): boolean;

  /** Verifies the return of a browser. @throws Error if it proves no person, or the provider is unavailable */
  finish(provider: ProtocolProvider<Settings>, flow: ReturnedFlow): Promise<ProvenPerson>;

  /** Tests whether sign-ins can succeed, and says what is to be changed. */
  test(provider: ProtocolProvider<Settings>, callbackUrl: string): Promise<ConnectionCheck[]>;

  /** Verifies the token of an app. Absent if no provider of the protocol has native sign-ins. @throws Error */
  verifyAppToken?(provider: ProtocolProvider<Settings>, token: AppToken): Promise<VerifiedAppToken>;
}
