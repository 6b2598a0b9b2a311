import { Injectable } from '@nestjs/common';
import {
  checkClientCredentials,
  failed,
  GatehouseError,
  passed,
  targetUrlProblem,
  type ConnectionCheck,
  type TargetPolicy,
} from '@gatehouse/domain';
import { Config, errorCode, secureBytes } from '@gatehouse/platform';
import type { ProtocolProvider } from '../identity-protocol.js';
import { describeProviderFailure, oauthCode } from '../provider-failure.js';
import { ProviderRequestsService } from '../provider-requests.service.js';
import { OAuthConnectionsService, type Configure, type Connection } from './oauth-connections.service.js';

/** Checks shared by the OAuth 2.0 and OpenID Connect connection tests. */
@Injectable()
export class ConnectionChecksService {
  readonly policy: TargetPolicy;

  constructor(
    private readonly connections: OAuthConnectionsService,
    private readonly requests: ProviderRequestsService,
    config: Config,
  ) {
    this.policy = { production: config.production, allowedCidrs: config.webhooks.allowedCidrs };
  }

  checkIssuer({ issuer }: ProtocolProvider): ConnectionCheck {
    const problem = targetUrlProblem(issuer, this.policy);
    return problem
      ? failed('issuer_url', `The issuer ${problem}. Create a provider with a different issuer.`)
      : passed('issuer_url', 'Gatehouse may send requests to the issuer.');
  }

  /** Connects to a provider, or returns the checks that failed. */
  async open(provider: ProtocolProvider, configure: Configure): Promise<Connection | ConnectionCheck[]> {
    try {
      return await this.requests.run(provider, () => this.connections.open(provider, configure));
    } catch (error) {
      return describeDiscoveryFailure(error);
    }
  }

  /** Requests JSON from a provider URL. @throws GatehouseError */
  fetchJson(provider: ProtocolProvider, url: string): Promise<unknown> {
    return this.requests.run(provider, () => this.connections.fetchJson(provider, url));
  }

  /**
   * Checks the client credentials by sending an invalid code to the token endpoint, which returns different
   * errors for a rejected client and a rejected code.
   */
  async checkCredentials(
    provider: ProtocolProvider,
    { client, configuration }: Connection,
    callbackUrl: string,
  ): Promise<ConnectionCheck> {
    const parameters = {
      code: secureBytes(16).toString('hex'),
      redirect_uri: callbackUrl,
      code_verifier: secureBytes(32).toString('base64url'),
    };
    try {
      await this.requests.run(provider, () =>
        client.genericGrantRequest(configuration, 'authorization_code', parameters),
      );
      return checkClientCredentials(null);
    } catch (error) {
      const cause = causeOf(error);
      const { error: kind, reason } = describeProviderFailure(cause);
      return kind === 'provider_unavailable'
        ? failed(
            'client_credentials',
            `The token endpoint does not respond: ${reason}. Check that Gatehouse can reach this URL.`,
          )
        : checkClientCredentials(oauthCode(cause));
    }
  }
}

/** Returns the error that caused the API error. */
const causeOf = (error: unknown): unknown =>
  error instanceof GatehouseError ? (error.cause ?? error) : error;

/** Returns the reason why a request to a provider has failed. */
export const reasonOf = (error: unknown): string => describeProviderFailure(causeOf(error)).reason;

function describeDiscoveryFailure(error: unknown): ConnectionCheck[] {
  if (errorCode(causeOf(error)) === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return [
      passed('discovery', 'The discovery document was loaded.'),
      failed(
        'issuer',
        'The discovery document contains a different issuer. Create a provider with exactly that issuer, including any trailing slash.',
      ),
    ];
  return [
    failed(
      'discovery',
      `The discovery document cannot be loaded: ${reasonOf(error)}. Check that Gatehouse can reach {issuer}/.well-known/openid-configuration, and that it is JSON without a redirect.`,
    ),
  ];
}
