import { Injectable } from '@nestjs/common';
import {
  findRole,
  GatehouseError,
  isUuid,
  MAX_OPERATOR_ORGANIZATIONS,
  readClaimValues,
  readPersonName,
  readProfile,
  type Operator,
  type OperatorRole,
  type ProviderClaims,
  type ProviderProfile,
} from '@gatehouse/domain';
import {
  OperatorSessionsRepository,
  OperatorsRepository,
  OrganizationsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { newId, type OperatorOidcConfig } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import type { Client } from '../http/request-context.js';
import { OperatorChangesService } from './operator-changes.service.js';
import { OperatorLinksService } from './operator-links.service.js';
import { OperatorNoticesService, type NoticeActor } from './operator-notices.service.js';
import { SingleSignOnRejection } from './single-sign-on-rejection.js';

/**
 * Access that the claims of an operator grant. If `organizationIds` is undefined, the limit is managed in the console.
 */
interface ClaimedAccess {
  role: OperatorRole;
  organizationIds?: string[] | null;
}

/** Finds or creates the operators for accounts with the OpenID Provider, and sets their access. */
@Injectable()
export class OidcAccountsService {
  constructor(
    private readonly operators: OperatorsRepository,
    private readonly sessions: OperatorSessionsRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly changes: OperatorChangesService,
    private readonly links: OperatorLinksService,
    private readonly notices: OperatorNoticesService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Returns an account's operator, with the access that the claims grant. The first sign-in links an operator with
   * the same verified email address, or creates one.
   * @throws SingleSignOnRejection
   */
  async resolve(
    tx: Tx,
    settings: OperatorOidcConfig,
    claims: ProviderClaims,
    client: Client,
  ): Promise<Operator> {
    const profile = readProfile(claims, claims['email_verified'] === true);
    if (!profile) throw new SingleSignOnRejection('sign_in_failed');
    const access = await this.readAccess(tx, settings, claims);
    // Locks the admins before the operator, as every transaction that changes operator access does.
    await this.changes.lockAdmins(tx);
    const actor = actorOf(client);
    const operator =
      (await this.operators.findByAccount(tx, settings.issuer, profile.subject)) ??
      (await this.link(tx, settings, profile, actor)) ??
      (await this.create(tx, settings, profile, readPersonName(claims['name']), access, actor));
    return this.applyAccess(tx, settings, actor, operator, access);
  }

  /**
   * Applies the access in the new claims to an operator who has reauthenticated.
   * @throws SingleSignOnRejection `other_operator` if the claims belong to another operator
   */
  async update(
    tx: Tx,
    settings: OperatorOidcConfig,
    claims: ProviderClaims,
    id: string,
    client: Client,
  ): Promise<void> {
    await this.changes.lockAdmins(tx);
    const operator = await this.operators.findByAccount(tx, settings.issuer, String(claims['sub']));
    if (operator?.id !== id) throw new SingleSignOnRejection('other_operator');
    const access = await this.readAccess(tx, settings, claims);
    await this.applyAccess(tx, settings, actorOf(client), operator, access);
  }

  /**
   * @throws SingleSignOnRejection `operator_disabled`, `last_admin`, `only_admin`
   */
  private async applyAccess(
    tx: Tx,
    { isRequired }: OperatorOidcConfig,
    actor: NoticeActor,
    { id }: Operator,
    access: ClaimedAccess,
  ): Promise<Operator> {
    // The status is read after the lock, because an admin may disable the operator at the same time.
    const { status } = await this.operators.lock(tx, id);
    if (status === 'disabled') throw new SingleSignOnRejection('operator_disabled');
    return this.changes.apply(tx, actor, id, access).catch((error: unknown) => {
      const isLastAdmin = error instanceof GatehouseError && error.code === 'last_admin';
      throw isLastAdmin ? new SingleSignOnRejection(isRequired ? 'only_admin' : 'last_admin') : error;
    });
  }

  /**
   * @throws SingleSignOnRejection `no_role`, `no_organization`
   */
  private async readAccess(
    tx: Tx,
    { roleClaim, roles, organizationsClaim }: OperatorOidcConfig,
    claims: ProviderClaims,
  ): Promise<ClaimedAccess> {
    const role = findRole(readClaimValues(claims, roleClaim), roles);
    if (!role) throw new SingleSignOnRejection('no_role');
    if (organizationsClaim === null) return { role };
    const values = readClaimValues(claims, organizationsClaim);
    if (values.includes('*')) return { role, organizationIds: null };
    // A value in the form of a UUID is matched only as an id, even if a slug has this form.
    const slugs = values.filter((value) => !isUuid(value));
    const ids = await this.organizations.findIds(tx, values.filter(isUuid), slugs);
    if (ids.length === 0 || ids.length > MAX_OPERATOR_ORGANIZATIONS)
      throw new SingleSignOnRejection('no_organization');
    return { role, organizationIds: ids };
  }

  /**
   * Links the operator who has the account's email address, but only if the provider has verified the address:
   * otherwise anyone could take over an operator with an account that claims the address. An account with a previous
   * provider is replaced, and the operator's sessions end.
   * @returns null if no operator has the address
   * @throws SingleSignOnRejection `email_required`, `account_exists`, `operator_disabled`
   */
  private async link(
    tx: Tx,
    { issuer }: OperatorOidcConfig,
    { subject, email, isEmailTrusted }: ProviderProfile,
    actor: NoticeActor,
  ): Promise<Operator | null> {
    if (!email) throw new SingleSignOnRejection('email_required');
    const found = await this.operators.findByEmail(email, tx);
    if (!found) return null;
    const operator = await this.operators.lock(tx, found.id);
    if (operator.status === 'disabled') throw new SingleSignOnRejection('operator_disabled');
    if (!isEmailTrusted || operator.issuer === issuer) throw new SingleSignOnRejection('account_exists');
    await this.links.voidAll(tx, operator.id);
    if (operator.issuer !== null) await this.sessions.endAll(tx, operator.id);
    const details = operator.issuer === null ? {} : { replaced: true };
    const action = operatorAction('operator.single_sign_on_linked', operator, details);
    this.audit.record(tx, { ...action, operatorId: operator.id });
    await this.notices.notifyAdmins(tx, 'single_sign_on_linked', actor, operator);
    return this.operators.linkAccount(tx, operator.id, issuer, subject);
  }

  private async create(
    tx: Tx,
    { issuer }: OperatorOidcConfig,
    { subject, email }: ProviderProfile,
    name: string | null,
    access: ClaimedAccess,
    actor: NoticeActor,
  ): Promise<Operator> {
    const { role } = access;
    const organizationIds = await this.changes.resolveOrganizations(tx, access.organizationIds);
    const fields = { id: newId(), email: email!, name, passwordHash: null, role, organizationIds };
    const operator = await this.operators.insert(tx, fields);
    if (!operator) throw new SingleSignOnRejection('account_exists');
    const details = { role, method: 'oidc', ...(organizationIds && { organizationIds }) };
    const action = operatorAction('operator.created', operator, details);
    this.audit.record(tx, { ...action, operatorId: operator.id });
    await this.notices.notifyAdmins(tx, 'joined', actor, operator, { role });
    return this.operators.linkAccount(tx, operator.id, issuer, subject);
  }
}

/** Returns the actor for changes that a sign-in causes. */
const actorOf = (client: Client): NoticeActor => ({
  caller: { email: 'Single sign-on' },
  client,
  cause: 'oidc',
});
