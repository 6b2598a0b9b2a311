import { Injectable } from '@nestjs/common';
import { assertMethodEnabled, GatehouseError, withParameter, type ProjectContext } from '@gatehouse/domain';
import {
  SignInExchangesRepository,
  Transactions,
  type NewSignInExchange,
  type Tx,
} from '@gatehouse/persistence';
import { newToken, sha256 } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';
import { AddressSignInService } from './address-sign-in.service.js';
import type { AuthResponse } from './dto/auth.response.js';
import type { ExchangeRequest } from './dto/sign-in-exchange.request.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';

/**
 * Completes sign-ins whose proof was given on a page of Gatehouse. The page stores the proof and leads back to the
 * application with a code. Only the client that began the sign-in has the verifier that the code requires (FE-02).
 */
@Injectable()
export class SignInExchangeService {
  constructor(
    private readonly exchanges: SignInExchangesRepository,
    private readonly addresses: AddressSignInService,
    private readonly transactions: Transactions,
    private readonly metrics: SignInMetricsService,
  ) {}

  /** Stores a proof. @returns the redirect URL with the code of the exchange */
  async begin(tx: Tx, proof: Omit<NewSignInExchange, 'codeHash'>): Promise<string> {
    const { token: code, tokenHash: codeHash } = newToken();
    await this.exchanges.insert(tx, { ...proof, codeHash });
    return withParameter(proof.redirectUrl, 'code', code);
  }

  /**
   * Signs in the customer whose proof was stored, once.
   * @throws GatehouseError `invalid_code`, with the same body for every cause, `method_not_enabled`,
   *   `sign_up_not_allowed`, `customer_disabled`
   */
  exchange(project: ProjectContext, request: ExchangeRequest, client: Client): Promise<AuthResponse> {
    return this.metrics.count('exchange', () => this.complete(project, request, client));
  }

  private complete(
    project: ProjectContext,
    { code, codeVerifier, redirectUrl, locale }: ExchangeRequest,
    client: Client,
  ): Promise<AuthResponse> {
    const codeHash = sha256(code);
    const codeChallenge = sha256(codeVerifier).toString('base64url');
    return this.transactions.run(async (tx) => {
      const exchange = await this.exchanges.find(tx, {
        codeHash,
        projectId: project.id,
        redirectUrl,
        codeChallenge,
      });
      if (!exchange) throw new GatehouseError('invalid_code');
      assertMethodEnabled(project, 'emailCode');
      const { email, requestedAt, provenAt: authTime } = exchange;
      const consume = () => this.exchanges.consume(tx, codeHash);
      const proof = { email, requestedAt, authTime, locale, consume };
      return this.addresses.signIn(tx, project, proof, client);
    });
  }
}
