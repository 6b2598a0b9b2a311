import { Inject, Injectable } from '@nestjs/common';
import {
  canReauthenticate,
  GatehouseError,
  type ConnectionCheck,
  type IdentityProvider,
  type IdentityProviderType,
  type ProviderPreset,
} from '@gatehouse/domain';
import type {
  AppToken,
  AuthenticationRequest,
  StartedFlow,
  CallbackParameters,
  IdentityProtocol,
  ProtocolProvider,
  ProtocolSettings,
  ProviderSignInResult,
  CallbackFlow,
  VerifiedAppToken,
} from './identity-protocol.js';
import { ProviderRequestsService } from './provider-requests.service.js';

/** Injection token for the list of all protocols. */
export const IDENTITY_PROTOCOLS = Symbol('IDENTITY_PROTOCOLS');

/** Runs sign-ins with providers, each through its protocol. */
@Injectable()
export class IdentityProtocolsService {
  constructor(
    @Inject(IDENTITY_PROTOCOLS) private readonly protocols: IdentityProtocol[],
    private readonly requests: ProviderRequestsService,
  ) {}

  /** Returns a provider type's properties. */
  getPreset(type: IdentityProviderType): ProviderPreset {
    return this.getProtocol(type).presets[type]!;
  }

  /** Returns a provider type's settings format. */
  getSettingsFormat(type: IdentityProviderType): ProtocolSettings<unknown> {
    return this.getProtocol(type).settings;
  }

  /** Returns true if a provider can prove the time of a sign-in. */
  canReauthenticate(provider: Pick<IdentityProvider, 'type' | 'sendsAuthTime'>): boolean {
    return canReauthenticate(this.getPreset(provider.type), provider);
  }

  /** Begins a flow. @throws GatehouseError `provider_unavailable`, `sign_in_failed` */
  begin(provider: ProtocolProvider, request: AuthenticationRequest): Promise<StartedFlow> {
    return this.requests.run(provider, () =>
      this.getProtocol(provider.type).begin(this.read(provider), request),
    );
  }

  /** Returns true if the sign-in was declined at the provider. The callback then contains no proof. */
  isDenied({ type }: Pick<IdentityProvider, 'type'>, parameters: CallbackParameters): boolean {
    return this.getProtocol(type).isDenied(parameters);
  }

  /**
   * Verifies a callback.
   * @param accept accepts the result; an error that it throws counts as a provider error
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`
   */
  finish<Result>(
    provider: ProtocolProvider,
    flow: CallbackFlow,
    accept: (result: ProviderSignInResult) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.requests.run(provider, async () =>
      accept(await this.getProtocol(provider.type).finish(this.read(provider), flow)),
    );
  }

  /**
   * Verifies an app's token.
   * @param accept see `finish`
   * @throws GatehouseError `method_not_enabled`, `provider_unavailable`, `sign_in_failed`
   */
  verifyAppToken<Result>(
    provider: ProtocolProvider,
    token: AppToken,
    accept: (token: VerifiedAppToken) => Result,
  ): Promise<Result> {
    return this.requests.run(provider, async () => {
      const protocol = this.getProtocol(provider.type);
      if (!protocol.verifyAppToken || !this.getPreset(provider.type).hasNativeSignIn)
        throw new GatehouseError('method_not_enabled');
      return accept(await protocol.verifyAppToken(this.read(provider), token));
    });
  }

  /** Tests whether sign-ins can succeed, and returns what must be changed. */
  test(provider: ProtocolProvider, callbackUrl: string): Promise<ConnectionCheck[]> {
    return this.getProtocol(provider.type).test(this.read(provider), callbackUrl);
  }

  /** Returns a provider whose settings are validated when they are read. */
  private read(provider: ProtocolProvider): ProtocolProvider {
    const { type } = provider;
    return { ...provider, settings: () => this.getSettingsFormat(type).read(type, provider.settings()) };
  }

  private getProtocol(type: IdentityProviderType): IdentityProtocol {
    return this.protocols.find(({ presets }) => presets[type])!;
  }
}
