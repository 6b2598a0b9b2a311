import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '@gatehouse/auth';
import { GatehouseError, type ProjectContext } from '@gatehouse/domain';
import { CustomersRepository, SignInTokensRepository, Transactions } from '@gatehouse/persistence';
import { newToken, sha256 } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import type { Client, GatehouseRequest } from '../http/request-context.js';
import { CurrentProof } from './current-proof.js';
import type { AuthResponse } from './dto/auth.response.js';
import type { SignInTokenResponse } from './dto/sign-in-token.response.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInService } from './sign-in.service.js';

/** Validity of a sign-in token in seconds (sign-in contract, section 2). */
const TTL = 5 * 60;

/** Lets the holder of a secret key sign in as a customer. Both steps are audited with the key. */
@Injectable()
export class SignInTokensService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly tokens: SignInTokensRepository,
    private readonly signIns: SignInService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly metrics: SignInMetricsService,
  ) {}

  /**
   * Creates a token, of which only the hash is stored.
   * @throws GatehouseError `not_found`, `project_archived`, `conflict` for a disabled customer
   */
  async create({ keyId, reach }: SecretKeyCaller, id: string, reason: string): Promise<SignInTokenResponse> {
    const { customer, project } = await this.customers.getActive(reach, id);
    if (customer.disabledAt)
      throw new GatehouseError('conflict', {
        detail: 'The customer is disabled. Enable the customer first.',
      });
    const { token, tokenHash } = newToken();
    const expiresAt = await this.transactions.run((tx) => {
      this.audit.record(tx, customerAction('customer.sign_in_token_created', customer, project, { reason }));
      return this.tokens.insert(tx, { tokenHash, customerId: id, keyId, reason, ttl: TTL });
    });
    return { token, expiresAt: expiresAt.toISOString() };
  }

  /**
   * Signs in with a token. The session has no proof of the customer's identity, so it counts as one from long ago,
   * and the address of the client does not become a known one of the customer.
   * @throws GatehouseError `invalid_token`, `customer_disabled`, `email_not_verified`
   */
  signIn(
    project: ProjectContext,
    token: string,
    client: Client,
    request: GatehouseRequest,
  ): Promise<AuthResponse> {
    // Other requests with a publishable key are not audited.
    return this.metrics.count('sign_in_token', () =>
      this.audit.runWithRequest(request, () => this.signInAudited(project, token, client)),
    );
  }

  private signInAudited(project: ProjectContext, token: string, client: Client): Promise<AuthResponse> {
    return this.transactions.run(async (tx) => {
      const tokenHash = sha256(token);
      const id = await this.tokens.findCustomerId(tx, project.id, tokenHash);
      const customer = id && (await this.customers.lock(tx, project.id, id));
      const used = customer && (await this.tokens.consume(tx, tokenHash));
      if (!customer || !used) throw new GatehouseError('invalid_token');
      const { keyId, reason } = used;
      const given = { amr: ['support' as const], authTime: new Date(0), support: { keyId, reason } };
      const proof = CurrentProof.of(customer, used.createdAt, given);
      if (!proof) throw new GatehouseError('invalid_token');
      const action = customerAction('customer.sign_in_token_used', customer, project, { reason });
      this.audit.record(tx, { ...action, keyId });
      return this.signIns.complete(tx, project, customer, proof, { ...client, addressBlock: null });
    });
  }
}
