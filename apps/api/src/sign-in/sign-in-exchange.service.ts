import { Injectable } from '@nestjs/common';
import { assertMethodEnabled, GatehouseError, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  IdentityProvidersRepository,
  SignInExchangesRepository,
  Transactions,
  type SignInExchange,
  type Tx,
} from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';
import { AddressSignInService } from './address-sign-in.service.js';
import type { AuthResponse } from './dto/auth.response.js';
import type { ExchangeRequest } from './dto/sign-in-exchange.request.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInService, type SignInOutcome } from './sign-in.service.js';

/**
 * Completes sign-ins whose proof was given on a page of Gatehouse or at an identity provider. The page stores the proof
 * and leads back to the application with a code. Only the client that began the sign-in has the verifier that the code
 * requires (FE-02).
 */
@Injectable()
export class SignInExchangeService {
  constructor(
    private readonly exchanges: SignInExchangesRepository,
    private readonly addresses: AddressSignInService,
    private readonly providers: IdentityProvidersRepository,
    private readonly providerSignIns: ProviderSignInService,
    private readonly customers: CustomersRepository,
    private readonly signIns: SignInService,
    private readonly transactions: Transactions,
    private readonly metrics: SignInMetricsService,
  ) {}

  /**
   * Signs in the customer whose proof was stored, once.
   * @throws GatehouseError `invalid_code`, with the same body for every cause, `method_not_enabled`, the errors of
   *   `ProviderSignInService.signIn`, and those of a sign-in
   */
  exchange(project: ProjectContext, request: ExchangeRequest, client: Client): Promise<AuthResponse> {
    const { code, codeVerifier, redirectUrl, locale } = request;
    const codeHash = sha256(code);
    const codeChallenge = sha256(codeVerifier).toString('base64url');
    return this.metrics.count('exchange', () =>
      this.transactions.run(async (tx) => {
        const key = { codeHash, projectId: project.id, redirectUrl, codeChallenge };
        return this.complete(tx, project, codeHash, await this.exchanges.find(tx, key), locale, client);
      }),
    );
  }

  /**
   * Continues a sign-in on the hosted page, to which a provider has led back with a code.
   * @param client with the `exchange` of the page
   * @throws GatehouseError like `exchange`
   */
  continue(project: ProjectContext, code: string, client: Client): Promise<SignInOutcome> {
    const codeHash = sha256(code);
    return this.metrics.count('exchange', () =>
      this.transactions.run(async (tx) => {
        const exchange = await this.exchanges.findByCode(tx, project.id, codeHash);
        return this.complete(tx, project, codeHash, exchange, undefined, client);
      }),
    );
  }

  private async complete(
    tx: Tx,
    project: ProjectContext,
    codeHash: Buffer,
    exchange: SignInExchange | null,
    locale: string | null | undefined,
    client: Client,
  ): Promise<SignInOutcome> {
    if (!exchange) throw new GatehouseError('invalid_code');
    const { requestedAt, provenAt: authTime } = exchange;
    const consume = () => this.exchanges.consume(tx, codeHash);
    const proof = { requestedAt, authTime, locale, consume };
    if (exchange.method === 'email') {
      assertMethodEnabled(project, 'emailCode');
      return this.addresses.signIn(tx, project, { ...proof, email: exchange.email }, client);
    }
    if (exchange.method === 'customer') return this.completeCustomer(tx, project, exchange, consume, client);
    if (exchange.purpose !== 'sign_in') throw new GatehouseError('invalid_code');
    const provider = await this.providers.getConnected(project.id, exchange.providerId, tx);
    return this.providerSignIns.signIn(
      tx,
      project,
      { ...proof, provider, profile: exchange.profile },
      client,
    );
  }

  /** Completes the sign-in of a customer who has proven their identity on the hosted page. */
  private async completeCustomer(
    tx: Tx,
    project: ProjectContext,
    { customerId, providerId, amr, provenAt: authTime }: Extract<SignInExchange, { method: 'customer' }>,
    consume: () => Promise<boolean>,
    client: Client,
  ): Promise<SignInOutcome> {
    const customer = await this.customers.lock(tx, project.id, customerId);
    if (!customer || !(await consume())) throw new GatehouseError('invalid_code');
    const provider = providerId === null ? null : await this.providers.get(project.id, providerId, tx);
    return this.signIns.complete(tx, project, customer, { amr, provider, authTime }, client);
  }
}
