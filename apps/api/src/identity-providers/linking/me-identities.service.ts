import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  isRevoked,
  provesAddressOwnership,
  type CodeKind,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  IdentitiesRepository,
  IdentityProvidersRepository,
  ProjectsRepository,
  SignInExchangesRepository,
  type Identity,
  type CustomerForUpdate,
  type SignInExchange,
  type Tx,
} from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import { FactorChangesService } from '../../factors/factor-changes.service.js';
import { FreshProofService, sessionEndedError } from '../../factors/fresh-proof.service.js';
import { AccountsService } from '../../accounts/accounts.service.js';
import { RequiredProvidersService } from '../../identities/required-providers.service.js';
import { SignInMethodsService } from '../../identities/sign-in-methods.service.js';
import { AccountLifecycleService } from '../../accounts/account-lifecycle.service.js';
import type { AccessTokenResponse } from '../../sign-in/dto/tokens.response.js';
import { ReauthenticationService } from '../../sign-in/reauthentication.service.js';
import type { OAuthTargetRequest, ProviderCodeRequest } from '../dto/oauth.request.js';
import { IdentityProtocolsService } from '../protocols/identity-protocols.service.js';
import { ProviderFlowsService } from '../provider-flows.service.js';

/** An exchange that contains a provider's proof. */
type ProviderExchange = Extract<SignInExchange, { method: 'provider' }>;

/** Links and unlinks the identities of signed-in customers, and reauthenticates customers with them. */
@Injectable()
export class MeIdentitiesService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly providers: IdentityProvidersRepository,
    private readonly exchanges: SignInExchangesRepository,
    private readonly flows: ProviderFlowsService,
    private readonly protocols: IdentityProtocolsService,
    private readonly accounts: AccountsService,
    private readonly factorChanges: FactorChangesService,
    private readonly fresh: FreshProofService,
    private readonly reauthentication: ReauthenticationService,
    private readonly required: RequiredProvidersService,
    private readonly methods: SignInMethodsService,
    private readonly lifecycle: AccountLifecycleService,
  ) {}

  list({ customer }: CustomerCaller): Promise<Identity[]> {
    return this.identities.list(customer.id);
  }

  /**
   * Begins linking an account with a provider.
   * @returns the provider's URL
   * @throws GatehouseError `reauthentication_required`, `provider_not_found`, and the errors of
   *   `ProviderFlowsService.begin`
   */
  async beginLink(caller: CustomerCaller, slug: string, target: OAuthTargetRequest): Promise<string> {
    const project = await this.projects.getContext(caller.customer.projectId);
    await this.fresh.assertFresh(caller, project);
    const provider = await this.flows.getProvider(project, slug);
    return this.flows.begin(project, provider, { ...target, purpose: 'link', caller: toOwner(caller) });
  }

  /**
   * Links the account that the provider has proven, in the session that began the link. Ends all sessions if
   * the provider has also verified the customer's unverified address.
   * @throws GatehouseError `reauthentication_required`, `invalid_code`, with the same body for every cause,
   *   `identity_already_linked`
   */
  async link(caller: CustomerCaller, request: ProviderCodeRequest): Promise<Identity> {
    const project = await this.projects.getContext(caller.customer.projectId);
    await this.fresh.assertFresh(caller, project);
    return this.factorChanges.runLocked(caller, async (tx, before) => {
      const exchange = await this.consume(tx, caller, before, 'link', request);
      const { providerId, profile } = exchange;
      // If a different provider is required, claiming the address would remove the customer's identity at that
      // provider, and the customer could no longer sign in.
      const required = await this.required.find(project, before.email, tx);
      const mayClaim = !required || required.id === providerId;
      const customer = (mayClaim && (await this.claim(tx, project, before, exchange))) || before;
      const linkedTo = await this.identities.findCustomerId(providerId, profile.subject, tx);
      if (linkedTo !== customer.id)
        await this.accounts.link(tx, project, customer, { provider: { id: providerId }, profile });
      const identities = await this.identities.listByProvider(customer.id, providerId, tx);
      return identities.find(({ subject }) => subject === profile.subject)!;
    });
  }

  /** @throws GatehouseError `reauthentication_required`, `not_found`, `last_sign_in_method` */
  async unlink(caller: CustomerCaller, id: string): Promise<void> {
    const project = await this.projects.getContext(caller.customer.projectId);
    await this.fresh.assertFresh(caller, project);
    await this.factorChanges.runLocked(caller, async (tx, customer) => {
      await this.accounts.unlink(tx, project, customer, id);
      await this.methods.assertMaySignIn(tx, project, customer);
    });
  }

  /**
   * Begins a reauthentication with a provider that the customer can sign in with.
   * @returns the provider's URL
   * @throws GatehouseError `method_not_enabled` for a provider that cannot require a new sign-in, or without an
   *   identity that belongs to the customer; `reauthentication_required` for a customer with a second factor;
   *   `sso_required`, `provider_not_found`, and the errors of `ProviderFlowsService.begin`
   */
  async beginReauthentication(
    caller: CustomerCaller,
    slug: string,
    target: OAuthTargetRequest,
  ): Promise<string> {
    const project = await this.projects.getContext(caller.customer.projectId);
    const provider = await this.flows.getProvider(project, slug);
    await this.required.assertAllowed(project, caller.customer.email, { providerId: provider.id });
    const identities = await this.identities.listByProvider(caller.customer.id, provider.id);
    if (!this.protocols.canReauthenticate(provider) || identities.length === 0)
      throw new GatehouseError('method_not_enabled');
    await this.fresh.assertSufficient(caller, project, 'provider');
    const flow = {
      ...target,
      purpose: 'reauthenticate',
      caller: toOwner(caller),
      maxAge: 0,
      promptsLogin: true,
    } as const;
    return this.flows.begin(project, provider, flow);
  }

  /**
   * Records a provider's proof in the session that began the reauthentication.
   * @throws GatehouseError `reauthentication_required`, `sso_required`, `invalid_code`, with the same body for
   *   every cause; `invalid_access_token` if the provider has also verified the customer's address, which ends
   *   all sessions
   */
  async reauthenticate(caller: CustomerCaller, request: ProviderCodeRequest): Promise<AccessTokenResponse> {
    const project = await this.projects.getContext(caller.customer.projectId);
    await this.fresh.assertSufficient(caller, project, 'provider');
    const proven = await this.factorChanges.runLocked(caller, async (tx, customer) => {
      const exchange = await this.consume(tx, caller, customer, 'reauthenticate', request);
      const { providerId, profile } = exchange;
      const linkedTo = await this.identities.findCustomerId(providerId, profile.subject, tx);
      if (linkedTo !== customer.id) throw new GatehouseError('invalid_code');
      await this.required.assertAllowed(project, customer.email, { providerId, sql: tx });
      if (await this.claim(tx, project, customer, exchange)) return null;
      return this.reauthentication.recordProof(tx, caller, project, ['fed']);
    });
    if (!proven) throw sessionEndedError();
    return proven;
  }

  /**
   * Claims an unverified address if the provider has verified it, as a sign-in does, because another person may have
   * registered it.
   * @returns the updated customer after all sessions have ended; null if the provider has not verified the address
   */
  private async claim(
    tx: Tx,
    project: ProjectContext,
    customer: CustomerForUpdate,
    { providerId, profile, requestedAt }: ProviderExchange,
  ): Promise<Customer | null> {
    if (!provesAddressOwnership(customer, profile)) return null;
    const identity = { providerId, subject: profile.subject };
    const proof = { email: customer.email, via: 'provider', requestedAt, identity } as const;
    return this.lifecycle.claimIfUnverified(tx, project, customer, proof);
  }

  /**
   * Consumes the code of a flow that the same session has begun.
   * @param current the customer, whom the transaction has locked
   * @throws GatehouseError `invalid_code`; `method_not_enabled` if the provider has been turned off since
   */
  private async consume(
    tx: Tx,
    { customer, sessionId }: CustomerCaller,
    current: CustomerForUpdate,
    kind: CodeKind,
    { code, codeVerifier, redirectUrl }: ProviderCodeRequest,
  ): Promise<ProviderExchange> {
    const codeHash = sha256(code);
    const codeChallenge = sha256(codeVerifier).toString('base64url');
    const key = { codeHash, kind, projectId: customer.projectId, redirectUrl, codeChallenge };
    const exchange = await this.exchanges.find(tx, key);
    const isOwn =
      exchange?.method === 'provider' &&
      exchange.customerId === current.id &&
      exchange.sessionId === sessionId &&
      !isRevoked(current, exchange.requestedAt);
    if (!isOwn) throw new GatehouseError('invalid_code');
    const provider = await this.providers.get(customer.projectId, exchange.providerId, tx);
    if (!provider.enabled) throw new GatehouseError('method_not_enabled');
    if (!(await this.exchanges.consume(tx, codeHash))) throw new GatehouseError('invalid_code');
    return exchange;
  }
}

const toOwner = ({ customer, sessionId }: CustomerCaller) => ({ customerId: customer.id, sessionId });
