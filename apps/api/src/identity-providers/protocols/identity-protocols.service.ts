import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, providerPresets, type ConnectionCheck } from '@gatehouse/domain';
import type {
  AppToken,
  AuthenticationRequest,
  BegunFlow,
  CallbackParameters,
  IdentityProtocol,
  ProtocolProvider,
  ProvenPerson,
  ReturnedFlow,
  VerifiedAppToken,
} from './identity-protocol.js';
import { ProviderRequestsService } from './provider-requests.service.js';

/** Token of the list of all protocols. */
export const IDENTITY_PROTOCOLS = Symbol('IDENTITY_PROTOCOLS');

/** Lets providers prove who a person is, each with its protocol. */
@Injectable()
export class IdentityProtocolsService {
  constructor(
    @Inject(IDENTITY_PROTOCOLS) private readonly protocols: IdentityProtocol[],
    private readonly requests: ProviderRequestsService,
  ) {}

  /** Begins a flow. @throws GatehouseError `provider_unavailable`, `sign_in_failed` */
  begin(provider: ProtocolProvider, request: AuthenticationRequest): Promise<BegunFlow> {
    return this.requests.run(provider, () => this.of(provider).begin(provider, request));
  }

  /** Returns whether a person has not agreed to sign in, and has returned without a proof. */
  isDenied(provider: Pick<ProtocolProvider, 'type'>, parameters: CallbackParameters): boolean {
    return this.of(provider).isDenied(parameters);
  }

  /**
   * Verifies the return of a browser.
   * @param accept decides about the person; an error that it throws counts as one of the provider
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`
   */
  finish<Result>(
    provider: ProtocolProvider,
    flow: ReturnedFlow,
    accept: (person: ProvenPerson) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.requests.run(provider, async () => accept(await this.of(provider).finish(provider, flow)));
  }

  /**
   * Verifies the token of an app.
   * @param accept like that of `finish`
   * @throws GatehouseError `method_not_enabled`, `provider_unavailable`, `sign_in_failed`
   */
  verifyAppToken<Result>(
    provider: ProtocolProvider,
    token: AppToken,
    accept: (token: VerifiedAppToken) => Result,
  ): Promise<Result> {
    return this.requests.run(provider, async () => {
      const protocol = this.of(provider);
      if (!protocol.verifyAppToken || !providerPresets[provider.type].hasNativeSignIn)
        throw new GatehouseError('method_not_enabled');
      return accept(await protocol.verifyAppToken(provider, token));
    });
  }

  /** Tests whether sign-ins can succeed, and says what is to be changed. */
  test(provider: ProtocolProvider, callbackUrl: string): Promise<ConnectionCheck[]> {
    return this.of(provider).test(provider, callbackUrl);
  }

  private of({ type }: Pick<ProtocolProvider, 'type'>): IdentityProtocol {
    return this.protocols.find(({ presets }) => presets[type])!;
  }
}
