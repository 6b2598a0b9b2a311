import { Injectable } from '@nestjs/common';
import {
  hasSignedInSince,
  isEmailTrusted,
  isProfileComplete,
  readProfile,
  type ConnectionCheck,
  type ProviderClaims,
  type ProviderProfile,
} from '@gatehouse/domain';
import { IdentityProvidersRepository, type StoredProvider, type OAuthFlow } from '@gatehouse/persistence';
import { Config, now, sha256 } from '@gatehouse/platform';
import type {
  AppToken,
  AuthenticationRequest,
  StartedFlow,
  CallbackParameters,
  ProtocolProvider,
  VerifiedAppToken,
} from './protocols/identity-protocol.js';
import { IdentityProtocolsService } from './protocols/identity-protocols.service.js';
import { StoredSettingsService } from './stored-settings.service.js';

/** A finished flow's result. */
export interface FlowResult {
  profile: ProviderProfile;
  /** True if the provider did not respond to a request that may have returned the email. */
  isEmailUnavailable: boolean;
}

/** Runs the protocols of a project's identity providers. Does not store the providers' tokens. */
@Injectable()
export class ProjectProvidersService {
  constructor(
    private readonly protocols: IdentityProtocolsService,
    private readonly providers: IdentityProvidersRepository,
    private readonly settings: StoredSettingsService,
    private readonly config: Config,
  ) {}

  /** Returns the URL to which a provider redirects. It must be registered with the provider. */
  callbackUrl(providerId: string): string {
    return `${this.config.publicUrl}/api/v1/auth/oauth/callback/${providerId}`;
  }

  /** Begins a flow. @throws GatehouseError `provider_unavailable`, `sign_in_failed` */
  begin(provider: StoredProvider, request: Omit<AuthenticationRequest, 'callbackUrl'>): Promise<StartedFlow> {
    const callbackUrl = this.callbackUrl(provider.id);
    return this.protocols.begin(this.toProtocolProvider(provider), { ...request, callbackUrl });
  }

  /**
   * Verifies a callback, and returns the profile. Only the subject is required (ADR 0097).
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`
   */
  finish(provider: StoredProvider, flow: OAuthFlow, parameters: CallbackParameters): Promise<FlowResult> {
    const requiredClaims = {
      // No further claims are requested for a reauthentication, which requires only the subject, or for a sign-in that
      // is too old, which is rejected.
      areComplete: (claims: ProviderClaims) =>
        flow.purpose === 'reauthenticate' ||
        !isRecent(claims['auth_time'], flow) ||
        isProfileComplete(claims),
      areSufficient: () => true,
    };
    const callbackUrl = this.callbackUrl(provider.id);
    const flowState = () => this.settings.readFlowState(sha256(parameters['state']!), flow);
    const returned = { callbackUrl, flowState, parameters, requiredClaims };
    return this.protocols.finish(this.toProtocolProvider(provider), returned, async (result) => {
      const { claims, authTime, isIncomplete, sendsAuthTime } = result;
      if (sendsAuthTime !== null && sendsAuthTime !== provider.sendsAuthTime)
        await this.providers.setSendsAuthTime(provider.id, sendsAuthTime);
      if (!isRecent(authTime, flow))
        throw new Error('the provider does not prove a sign-in that is recent enough');
      const profile = this.toProfile(provider, claims);
      return { profile, isEmailUnavailable: isIncomplete && profile.email === null };
    });
  }

  /**
   * Verifies an app's token, and returns the profile.
   * @throws GatehouseError `method_not_enabled` for a provider without native sign-in, `provider_unavailable`,
   *   `sign_in_failed`
   */
  verifyAppToken(
    provider: StoredProvider,
    token: AppToken,
  ): Promise<{ profile: ProviderProfile; token: VerifiedAppToken }> {
    return this.protocols.verifyAppToken(this.toProtocolProvider(provider), token, (verified) => ({
      profile: this.toProfile(provider, verified.claims),
      token: verified,
    }));
  }

  /** Tests whether sign-ins can succeed, and returns what must be changed. */
  test(provider: StoredProvider): Promise<ConnectionCheck[]> {
    return this.protocols.test(this.toProtocolProvider(provider), this.callbackUrl(provider.id));
  }

  private toProtocolProvider(provider: StoredProvider): ProtocolProvider {
    return {
      ...provider,
      version: provider.updatedAt.getTime(),
      settings: () => this.settings.read(provider),
    };
  }

  /** Converts a provider's claims to a profile. @throws Error without a subject */
  private toProfile(provider: StoredProvider, claims: ProviderClaims): ProviderProfile {
    const source = { ...provider, domains: provider.verifiedDomains };
    const isTrusted = isEmailTrusted(this.protocols.getPreset(provider.type), source, claims);
    const profile = readProfile(claims, isTrusted);
    if (!profile) throw new Error('the response of the provider has no subject');
    return profile;
  }
}

/**
 * Returns true if the sign-in at the provider is as recent as the flow requires. @param authTime in seconds
 * since 1970
 */
function isRecent(authTime: unknown, { maxAge, createdAt }: OAuthFlow): boolean {
  const [startedAt, current] = [createdAt.getTime() / 1_000, now().getTime() / 1_000];
  return maxAge === null || hasSignedInSince(authTime, startedAt - maxAge, current);
}
