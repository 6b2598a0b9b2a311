import { Injectable } from '@nestjs/common';
import {
  assertMethodEnabled,
  GatehouseError,
  isRedirectUrlAllowed,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  IdentityProvidersRepository,
  SignInExchangesRepository,
  type CustomerFlow,
  type Tx,
} from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Client } from '../http/request-context.js';
import { AddressSignInService } from '../sign-in/address-sign-in.service.js';
import { CurrentProof } from '../sign-in/current-proof.js';
import type { AuthResponse } from '../sign-in/dto/auth.response.js';
import type { ExchangeRequest } from './dto/sign-in-exchange.request.js';
import { ProviderSignInService } from '../identity-providers/sign-in/provider-sign-in.service.js';
import { SignInFlowsService } from '../sign-in/sign-in-flows.service.js';
import { SignInMetricsService } from '../sign-in/sign-in-metrics.service.js';
import { SignInService, type SignInOutcome } from '../sign-in/sign-in.service.js';

/** The times at which a stored proof was requested and given, and a function that consumes it. */
interface StoredProof {
  requestedAt: Date;
  authTime: Date;
  consume: () => Promise<boolean>;
}

/**
 * Completes sign-ins with a proof that was given earlier, on a Gatehouse page or at an identity provider. The page
 * stores the proof and redirects to the application with a code. The code requires a verifier that is known only to the
 * client that started the sign-in (FE-02).
 */
@Injectable()
export class SignInExchangeService {
  constructor(
    private readonly exchanges: SignInExchangesRepository,
    private readonly flows: SignInFlowsService,
    private readonly addresses: AddressSignInService,
    private readonly providers: IdentityProvidersRepository,
    private readonly providerSignIns: ProviderSignInService,
    private readonly customers: CustomersRepository,
    private readonly signIns: SignInService,
    private readonly accounts: AccountsService,
    private readonly metrics: SignInMetricsService,
  ) {}

  /**
   * Consumes a stored proof and signs in its customer. Each proof works once.
   * @throws GatehouseError `invalid_code` with the same body for every cause, `method_not_enabled`, the codes from
   * `ProviderSignInService.signIn`, and every sign-in error
   */
  exchange(project: ProjectContext, request: ExchangeRequest, client: Client): Promise<AuthResponse> {
    const { code, codeVerifier, redirectUrl, locale } = request;
    const isAllowed = isRedirectUrlAllowed(project.settings, redirectUrl);
    const codeHash = sha256(code);
    const codeChallenge = sha256(codeVerifier).toString('base64url');
    const key = { codeHash, kind: 'sign_in', projectId: project.id, redirectUrl, codeChallenge } as const;
    return this.metrics.count('exchange', () =>
      this.accounts.run<SignInOutcome>(project, async (tx, admission) => {
        const exchange = await this.exchanges.find(tx, key);
        if (!exchange || !isAllowed) throw new GatehouseError('invalid_code');
        const { requestedAt, provenAt: authTime } = exchange;
        const stored = { requestedAt, authTime, consume: () => this.exchanges.consume(tx, codeHash) };
        if (exchange.method === 'customer')
          return this.completeCustomer(tx, project, exchange, stored, client);
        if (exchange.method === 'email') {
          assertMethodEnabled(project, 'emailCode');
          const proof = { ...stored, locale, email: exchange.email };
          return this.addresses.signIn(tx, project, proof, client, admission);
        }
        const provider = await this.providers.get(project.id, exchange.providerId, tx);
        const { profile } = exchange;
        const proof = { ...stored, locale, provider, profile };
        return this.providerSignIns.signIn(tx, project, proof, client, admission);
      }),
    );
  }

  /**
   * Continues the hosted page's flow, after the provider redirects back or the recovery codes have been shown.
   * @param client the client, with the page's flow
   * @throws GatehouseError with the same codes as `exchange`
   */
  continue(project: ProjectContext, client: Client): Promise<SignInOutcome> {
    return this.metrics.count('exchange', () =>
      this.accounts.run<SignInOutcome>(project, async (tx, admission) => {
        const flow = client.page?.flow;
        if (!flow?.provenAt) throw new GatehouseError('invalid_code');
        const { customerId, providerId, profile, amr, requestedAt, provenAt: authTime } = flow;
        const stored = { requestedAt, authTime, consume: () => this.flows.consume(tx, flow) };
        if (customerId && amr)
          return this.completeCustomer(tx, project, { customerId, providerId, amr }, stored, client);
        if (!providerId || !profile) throw new GatehouseError('invalid_code');
        const provider = await this.providers.get(project.id, providerId, tx);
        const proof = { ...stored, locale: null, provider, profile };
        return this.providerSignIns.signIn(tx, project, proof, client, admission);
      }),
    );
  }

  /** Completes the sign-in of a customer who has proven their identity on the hosted page. */
  private async completeCustomer(
    tx: Tx,
    project: ProjectContext,
    { customerId, providerId, amr }: CustomerFlow,
    { requestedAt, authTime, consume }: StoredProof,
    client: Client,
  ): Promise<SignInOutcome> {
    const customer = await this.customers.lock(tx, project.id, customerId);
    if (!customer || !(await consume())) throw new GatehouseError('invalid_code');
    const provider = providerId === null ? null : await this.providers.get(project.id, providerId, tx);
    const proof = CurrentProof.verify(customer, requestedAt, { amr, provider, authTime });
    if (!proof) throw new GatehouseError('invalid_code');
    return this.signIns.complete(tx, project, customer, proof, client);
  }
}
