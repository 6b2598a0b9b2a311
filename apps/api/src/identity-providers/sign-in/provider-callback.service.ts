import { Inject, Injectable } from '@nestjs/common';
import {
  GatehouseError,
  isUuid,
  redirectErrors,
  type ProjectContext,
  type ProviderProfile,
  type RedirectError,
} from '@gatehouse/domain';
import {
  IdentityProvidersRepository,
  OAuthFlowsRepository,
  Transactions,
  type StoredProvider,
  type OAuthFlow,
  type Tx,
} from '@gatehouse/persistence';
import { ApiMetrics, Config, LOGGER, sha256, type Logger } from '@gatehouse/platform';
import type { Client } from '../../http/request-context.js';
import { assertRedirectUrl } from '../../one-time-tokens/one-time-links.service.js';
import { ExchangeCodesService } from '../../sign-in/exchange-codes.service.js';
import { SignInFlowsService } from '../../sign-in/sign-in-flows.service.js';
import { ProviderRejectionsService } from './provider-rejections.service.js';
import { ProjectProvidersService } from '../project-providers.service.js';
import type { CallbackParameters } from '../protocols/identity-protocol.js';
import { IdentityProtocolsService } from '../protocols/identity-protocols.service.js';
import { errorRedirect } from '../provider-flows.service.js';

/**
 * Handles callbacks from identity providers. Stores only the proof: the application, which has the verifier, completes
 * the sign-in (requirement FE-02).
 */
@Injectable()
export class ProviderCallbackService {
  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly flows: OAuthFlowsRepository,
    private readonly projectProviders: ProjectProvidersService,
    private readonly protocols: IdentityProtocolsService,
    private readonly rejections: ProviderRejectionsService,
    private readonly codes: ExchangeCodesService,
    private readonly signInFlows: SignInFlowsService,
    private readonly transactions: Transactions,
    @Inject(ApiMetrics) private readonly metrics: ApiMetrics | null,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Finishes a flow at a provider.
   * @param received the callback parameters as the browser sent them
   * @returns the URL to which the browser is redirected: the application with a code, the hosted page with a
   *   flow, or either of them with an error
   * @throws GatehouseError `invalid_code` if the state is unknown, expired, used or belongs to another
   *   provider, or if the redirect URL is no longer allowed
   */
  async finish(providerId: string, received: Record<string, unknown>, client: Client): Promise<string> {
    if (!isUuid(providerId)) throw new GatehouseError('invalid_code');
    const parameters = pickSingleValues(received);
    const project = await this.providers.findProject(providerId);
    const flow = await this.flows.consume(sha256(parameters['state'] ?? ''), providerId);
    if (!project || flow?.projectId !== project.id) throw new GatehouseError('invalid_code');
    try {
      assertRedirectUrl(project, flow.redirectUrl);
    } catch {
      throw new GatehouseError('invalid_code');
    }
    const provider = await this.providers.get(project.id, providerId);
    const result = await this.complete(project, provider, flow, parameters, client);
    this.metrics?.recordProviderReturn(provider.type, 'error' in result ? result.error : 'success');
    return 'error' in result ? this.errorUrl(flow, result.error) : result.url;
  }

  private async complete(
    project: ProjectContext,
    provider: StoredProvider,
    flow: OAuthFlow,
    parameters: CallbackParameters,
    client: Client,
  ): Promise<{ url: string } | { error: RedirectError }> {
    if (this.protocols.isDenied(provider, parameters)) return { error: 'access_denied' };
    if (!provider.enabled) return { error: 'sign_in_failed' };
    try {
      const { profile, isEmailUnavailable } = await this.projectProviders.finish(provider, flow, parameters);
      const rejection =
        flow.purpose === 'sign_in' && (await this.rejections.check(project, provider, profile, client));
      // The account probably has an email, which the provider can return later.
      if (rejection === 'email_required' && isEmailUnavailable) return { error: 'provider_unavailable' };
      // The hosted page prompts for the address.
      const promptsForEmail = rejection === 'email_required' && flow.pageQuery !== null;
      if (rejection && !promptsForEmail) return { error: rejection };
      return { url: await this.transactions.join((tx) => this.storeProof(tx, flow, profile)) };
    } catch (error) {
      const code = error instanceof GatehouseError ? error.code : null;
      if (code === 'sso_required') {
        const { projectId, id: providerId } = provider;
        this.logger.info(
          { projectId, providerId, reason: code },
          'sign-in without the required provider rejected',
        );
        return { error: 'sign_in_failed' };
      }
      const known = redirectErrors.find((each) => each === code);
      if (!known) throw error;
      return { error: known };
    }
  }

  /** Stores the proof. @returns the URL to which the browser is redirected, with a code or a flow */
  private async storeProof(tx: Tx, flow: OAuthFlow, profile: ProviderProfile): Promise<string> {
    const { projectId, providerId, purpose: kind, customerId, sessionId, browserHash } = flow;
    const { redirectUrl, codeChallenge, applicationState: state, createdAt: requestedAt, pageQuery } = flow;
    const target = { redirectUrl, codeChallenge, state };
    const proven = { providerId, profile, requestedAt };
    if (pageQuery !== null) {
      const proof = { ...proven, browserHash };
      const { secret } = await this.signInFlows.beginWithProfile(tx, projectId, target, proof);
      return this.pageUrl(pageQuery, 'flow', secret);
    }
    const owner = { projectId, customerId, sessionId };
    return this.codes.issue(tx, { ...target, ...proven, ...owner, kind, method: 'provider' });
  }

  private errorUrl(
    { redirectUrl, applicationState: state, pageQuery }: OAuthFlow,
    error: RedirectError,
  ): string {
    return pageQuery === null
      ? errorRedirect({ redirectUrl, state }, error)
      : this.pageUrl(pageQuery, 'provider_error', error);
  }

  /** Returns the hosted page's URL with an additional parameter. */
  private pageUrl(pageQuery: string, name: string, value: string): string {
    const query = new URLSearchParams(pageQuery);
    query.set(name, value);
    return `${this.config.publicUrl}/sign-in?${query.toString()}`;
  }
}

/** Returns the parameters that occur once. */
const pickSingleValues = (parameters: Record<string, unknown>): CallbackParameters =>
  Object.fromEntries(
    Object.entries(parameters).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
