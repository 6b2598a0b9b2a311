import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  isSlug,
  withParameter,
  type CodeKind,
  type ExchangeTarget,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  IdentityProvidersRepository,
  OAuthFlowsRepository,
  type StoredProvider,
} from '@gatehouse/persistence';
import { newToken } from '@gatehouse/platform';
import { assertRedirectUrl } from '../one-time-tokens/one-time-links.service.js';
import { ProjectProvidersService } from './project-providers.service.js';
import { StoredSettingsService } from './stored-settings.service.js';

/** The target, the purpose and the requirements of a new flow. */
export interface NewFlow extends ExchangeTarget {
  /** Default: a sign-in. */
  purpose?: CodeKind;
  /** The signed-in customer who links an identity or proves their identity again. */
  caller?: { customerId: string; sessionId: string };
  /** Maximum age of the sign-in at the provider, in seconds. 0 requires a new sign-in. */
  maxAge?: number;
  /** True if the provider must prompt for the account again. */
  promptsLogin?: boolean;
  /** The address that the provider should suggest. */
  loginHint?: string;
  /** The query of the hosted page to which the browser returns. */
  pageQuery?: string;
  /** SHA-256 hash of the browser's cookie, for a flow that begins on the hosted page. */
  browserHash?: Buffer;
}

/** Begins flows, which send browsers to identity providers. */
@Injectable()
export class ProviderFlowsService {
  constructor(
    private readonly providers: IdentityProvidersRepository,
    private readonly flows: OAuthFlowsRepository,
    private readonly projectProviders: ProjectProvidersService,
    private readonly settings: StoredSettingsService,
  ) {}

  /** Returns an enabled provider. @throws GatehouseError `provider_not_found` */
  async getProvider({ id }: ProjectContext, slug: string): Promise<StoredProvider> {
    // Checked first, because PostgreSQL rejects strings that contain a NUL.
    const provider = isSlug(slug) ? await this.providers.findEnabled(id, slug) : null;
    if (!provider) throw new GatehouseError('provider_not_found');
    return provider;
  }

  /**
   * Begins a flow, which the provider's callback finishes within ten minutes.
   * @returns the provider's URL
   * @throws GatehouseError `validation_failed` for a redirect URL that the project does not allow,
   *   `provider_unavailable`, `sign_in_failed` for a provider with an incorrect configuration
   */
  async begin(project: ProjectContext, provider: StoredProvider, flow: NewFlow): Promise<string> {
    assertRedirectUrl(project, flow.redirectUrl);
    const { token: state, tokenHash } = newToken();
    const { maxAge, promptsLogin, loginHint } = flow;
    const started = await this.projectProviders.begin(provider, { state, maxAge, promptsLogin, loginHint });
    const { nonce = '', codeVerifier = '' } = started.flowState as { nonce?: string; codeVerifier?: string };
    await this.flows.insert(tokenHash, {
      projectId: project.id,
      providerId: provider.id,
      purpose: flow.purpose ?? 'sign_in',
      customerId: flow.caller?.customerId ?? null,
      sessionId: flow.caller?.sessionId ?? null,
      redirectUrl: flow.redirectUrl,
      codeChallenge: flow.codeChallenge,
      applicationState: flow.state ?? null,
      flowState: this.settings.sealFlowState(tokenHash, started.flowState),
      // Allows an API process on an earlier version to finish the flow.
      ...{ nonce, codeVerifier },
      maxAge: maxAge ?? null,
      pageQuery: flow.pageQuery ?? null,
      browserHash: flow.browserHash ?? null,
    });
    return started.url;
  }
}

/** Returns the application URL with the error, and with the application's state if there is one. */
export function errorRedirect(
  { redirectUrl, state }: Pick<ExchangeTarget, 'redirectUrl' | 'state'>,
  error: string,
): string {
  const url = withParameter(redirectUrl, 'error', error);
  return state ? withParameter(url, 'state', state) : url;
}
