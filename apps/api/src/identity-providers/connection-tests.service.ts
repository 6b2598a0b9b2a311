import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  checkClientCredentials,
  checkKeys,
  checkMetadata,
  failed,
  GatehouseError,
  passed,
  providerPresets,
  targetUrlProblem,
  type ConnectionCheck,
  type TargetPolicy,
} from '@gatehouse/domain';
import {
  IdentityProvidersRepository,
  ProjectsRepository,
  Transactions,
  type ConnectedProvider,
} from '@gatehouse/persistence';
import { Config, errorCode, secureBytes } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { OAuthFlowsService } from './oauth-flows.service.js';
import { ProviderConnectionsService, type Connection } from './provider-connections.service.js';
import { describeProviderFailure, oauthCode } from '../http/provider-failure.js';
import { ProviderRequestsService } from './provider-requests.service.js';

/** Tests whether sign-ins with an identity provider can succeed, and finds out what is to be changed. */
@Injectable()
export class ConnectionTestsService {
  private readonly policy: TargetPolicy;

  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly projects: ProjectsRepository,
    private readonly flows: OAuthFlowsService,
    private readonly connections: ProviderConnectionsService,
    private readonly requests: ProviderRequestsService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    config: Config,
  ) {
    this.policy = { production: config.production, allowedCidrs: config.webhooks.allowedCidrs };
  }

  /** Sends requests to a provider, whether or not it is enabled. @throws GatehouseError `not_found`, `project_archived` */
  async test({ reach }: ManagementCaller, projectId: string, id: string): Promise<ConnectionCheck[]> {
    const { organizationId } = await this.projects.getActive(reach, projectId);
    const provider = await this.providers.getConnected(projectId, id);
    const checks = await this.run(provider);
    const details = { failed: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
    const action = { action: 'identity_provider.tested', organizationId, projectId, targetId: id } as const;
    await this.transactions.run((tx) => Promise.resolve(this.audit.record(tx, { ...action, details })));
    return checks;
  }

  private async run(provider: ConnectedProvider): Promise<ConnectionCheck[]> {
    const problem = targetUrlProblem(provider.issuer, this.policy);
    if (problem)
      return [failed('issuer_url', `The issuer ${problem}. Create a provider with another issuer.`)];
    const checks = [passed('issuer_url', 'Gatehouse may send requests to the issuer.')];
    const preset = providerPresets[provider.type];
    if (preset.signsClientSecret) checks.push(await this.checkPrivateKey(provider));
    if (checks.some(({ ok }) => !ok)) return checks;
    let connection: Connection;
    try {
      connection = await this.requests.run(provider, () => this.connections.discover(provider));
    } catch (error) {
      return [...checks, ...describeDiscoveryFailure(error)];
    }
    if (preset.oauth) return [...checks, await this.checkCredentials(provider, connection)];
    const discovered = [
      passed('discovery', 'The discovery document is valid.'),
      passed('issuer', 'The issuer equals that in the discovery document.'),
      ...checkMetadata(connection.configuration.serverMetadata(), this.isPublic(provider), this.policy),
    ];
    const canContinue = discovered.every(({ name, ok }) => ok || name !== 'endpoints');
    const requested = canContinue
      ? await Promise.all([this.checkKeys(provider, connection), this.checkCredentials(provider, connection)])
      : [];
    return [...checks, ...discovered, ...requested];
  }

  private isPublic({ type, clientSecret }: ConnectedProvider): boolean {
    return !clientSecret && !providerPresets[type].signsClientSecret;
  }

  private async checkPrivateKey(provider: ConnectedProvider): Promise<ConnectionCheck> {
    try {
      await this.connections.signSecret(provider, provider.issuer);
      return passed('private_key', 'The private key signs client secrets.');
    } catch {
      return failed('private_key', 'The private key cannot sign. Set teamId, keyId and privateKey again.');
    }
  }

  private async checkKeys(
    provider: ConnectedProvider,
    { configuration }: Connection,
  ): Promise<ConnectionCheck> {
    const url = configuration.serverMetadata().jwks_uri!;
    try {
      return checkKeys(await this.requests.run(provider, () => this.connections.fetchJson(url)));
    } catch (error) {
      return failed(
        'keys',
        `The keys at jwks_uri cannot be loaded: ${reasonOf(error)}. Check that Gatehouse can reach it.`,
      );
    }
  }

  /** Sends an invalid code to the token endpoint: a client that is rejected gets another error than the code. */
  private async checkCredentials(
    provider: ConnectedProvider,
    { client, configuration }: Connection,
  ): Promise<ConnectionCheck> {
    const parameters = {
      code: secureBytes(16).toString('hex'),
      redirect_uri: this.flows.callbackUrl(provider.id),
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
            `The token endpoint does not respond: ${reason}. Check that Gatehouse can reach it.`,
          )
        : checkClientCredentials(oauthCode(cause));
    }
  }
}

/** Returns the error behind that of the API. */
const causeOf = (error: unknown): unknown =>
  error instanceof GatehouseError ? (error.cause ?? error) : error;

const reasonOf = (error: unknown): string => describeProviderFailure(causeOf(error)).reason;

function describeDiscoveryFailure(error: unknown): ConnectionCheck[] {
  if (errorCode(causeOf(error)) === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return [
      passed('discovery', 'The discovery document was loaded.'),
      failed(
        'issuer',
        'The discovery document names another issuer. Create a provider with exactly that issuer, including a slash at its end.',
      ),
    ];
  return [
    failed(
      'discovery',
      `The discovery document cannot be loaded: ${reasonOf(error)}. Check that Gatehouse can reach {issuer}/.well-known/openid-configuration, and that it is JSON without a redirect.`,
    ),
  ];
}
