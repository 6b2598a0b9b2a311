import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  insufficientScope,
  notFound,
  signInTokenScopes,
  type MigratedProof,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  SignInTokensRepository,
  Transactions,
  type ConsumedSignInToken,
  type CustomerForUpdate,
} from '@gatehouse/persistence';
import { newToken, PasswordHasher, sha256 } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import type { Client, GatehouseRequest } from '../http/request-context.js';
import { CurrentProof } from './current-proof.js';
import type { AuthResponse } from './dto/auth.response.js';
import type { CreateSignInTokenRequest } from './dto/sign-in-token.request.js';
import type { SignInTokenResponse } from './dto/sign-in-token.response.js';
import { assertMigratable, isMigratable, readMigratedProof } from './migrated-proof.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInService } from './sign-in.service.js';

/** Lifetime of a sign-in token in seconds (sign-in contract, section 2). */
const TTL = 5 * 60;

/**
 * Returns the hash under which a migration token is stored. It differs from the hash of a support token, so that older
 * API processes, which would treat the token as a support token, do not find it.
 */
const migrationHash = (token: string): Buffer => sha256(`migration:${token}`);

/**
 * Allows the holder of a secret key to sign in as a customer, or to move a customer's session from another system. The
 * creation and the use of a token are audited with the key.
 */
@Injectable()
export class SignInTokensService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly tokens: SignInTokensRepository,
    private readonly signIns: SignInService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly metrics: SignInMetricsService,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * Creates a token. Only its hash is stored.
   * @throws GatehouseError `insufficient_scope`, `validation_failed`, `not_found`, `project_archived`, `conflict` for a
   * disabled customer, or for a session from another system if a later event has ended it or the customer has set a
   * password in Gatehouse
   */
  async create(
    { keyId, accessScope, scopes }: SecretKeyCaller,
    id: string,
    request: CreateSignInTokenRequest,
  ): Promise<SignInTokenResponse> {
    const scope = signInTokenScopes[request.purpose ?? 'support'];
    if (!scopes.includes(scope)) throw insufficientScope([scope]);
    const { project } = await this.customers.getActive(accessScope, id);
    const proof = readMigratedProof(request, project.settings);
    const { reason } = request;
    const { token, tokenHash } = newToken();
    const expiresAt = await this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, id);
      if (!customer) throw notFound();
      if (customer.disabledAt)
        throw new GatehouseError('conflict', {
          detail: 'The customer is disabled. Enable the customer first.',
        });
      if (proof) assertMigratable(this.hasher, customer, proof);
      const details = { reason, ...auditDetails(proof) };
      this.audit.record(tx, customerAction('customer.sign_in_token_created', customer, project, details));
      const hash = proof ? migrationHash(token) : tokenHash;
      return this.tokens.insert(tx, { tokenHash: hash, customerId: id, keyId, reason, proof, ttl: TTL });
    });
    return { token, expiresAt: expiresAt.toISOString() };
  }

  /**
   * Signs in with a token. A support session does not prove the customer's identity, so its proof counts as old, and
   * the client IP does not become one of the customer's known client IPs.
   * @throws GatehouseError `invalid_token`, `sso_required`, `customer_disabled`, `email_not_verified`
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
    return this.transactions.join(async (tx) => {
      const hashes = [sha256(token), migrationHash(token)];
      const id = await this.tokens.findCustomerId(tx, project.id, hashes);
      const customer = id && (await this.customers.lock(tx, project.id, id));
      const used = customer && (await this.tokens.consume(tx, hashes));
      if (!customer || !used) throw new GatehouseError('invalid_token');
      const migrated = toMigratedProof(used);
      const proof = migrated
        ? this.createMigratedProof(project, customer, migrated)
        : createSupportProof(customer, used);
      if (!proof) throw new GatehouseError('invalid_token');
      const { keyId, reason } = used;
      const details = { reason, ...auditDetails(migrated) };
      const action = customerAction('customer.sign_in_token_used', customer, project, details);
      this.audit.record(tx, { ...action, keyId });
      const signedInBy = migrated ? client : { ...client, addressBlock: null };
      return this.signIns.complete(tx, project, customer, proof, signedInBy);
    });
  }

  /** Returns null if the session's lifetime has passed in the meantime, or if an event has ended it. */
  private createMigratedProof(
    { settings }: ProjectContext,
    customer: CustomerForUpdate,
    { amr, authTime }: MigratedProof,
  ): CurrentProof | null {
    if (!isMigratable(this.hasher, settings, customer, authTime)) return null;
    return CurrentProof.verify(customer, authTime, { amr, authTime, isMigrated: true });
  }
}

const toMigratedProof = ({ amr, authTime }: ConsumedSignInToken): MigratedProof | null =>
  amr && authTime && { amr, authTime };

/** Returns null if an event has ended all access since the token was created. */
function createSupportProof(
  customer: CustomerForUpdate,
  { keyId, reason, createdAt }: ConsumedSignInToken,
): CurrentProof | null {
  const given = { amr: ['support' as const], authTime: new Date(0), support: { keyId, reason } };
  return CurrentProof.verify(customer, createdAt, given);
}

const auditDetails = (proof: MigratedProof | null): object =>
  proof ? { purpose: 'migration', amr: proof.amr, authTime: proof.authTime.toISOString() } : {};
