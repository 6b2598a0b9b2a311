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

/** The access that an operator's claims give. An undefined limit is managed in the console. */
interface ClaimedAccess {
  role: OperatorRole;
  organizationIds?: string[] | null;
}

/** Finds or creates the operators for accounts at the OpenID Provider, and sets their access. */
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
   * Returns an account's operator, with the access that its claims give. The first sign-in links an operator with the
   * same verified email address, or creates one.
   * @throws SingleSignOnRefusal
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
    // Locks the admins before the operator, like all transactions that change operators' access.
    await this.changes.lockAdmins(tx);
    const actor = actorOf(client);
    const operator =
      (await this.operators.findByAccount(tx, settings.issuer, profile.subject)) ??
      (await this.link(tx, settings, profile, actor)) ??
      (await this.create(tx, settings, profile, readPersonName(claims['name']), access, actor));
    return this.applyAccess(tx, settings, actor, operator, access);
  }

  /**
   * Gives an operator who was verified again the access in the new claims.
   * @throws SingleSignOnRefusal `other_operator` if the claims belong to another operator
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

  /** @throws SingleSignOnRefusal `operator_disabled`, `last_admin`, `only_admin` */
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

  /** @throws SingleSignOnRefusal `no_role`, `no_organization` */
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
    // A slug may look like an id, and must not be read as one.
    const slugs = values.filter((value) => !isUuid(value));
    const ids = await this.organizations.findIds(tx, values.filter(isUuid), slugs);
    if (ids.length === 0 || ids.length > MAX_OPERATOR_ORGANIZATIONS)
      throw new SingleSignOnRejection('no_organization');
    return { role, organizationIds: ids };
  }

  /**
   * Links the operator with the account's email address, only if the provider has verified the address: otherwise
   * anyone could take over an operator with an account that names the address. An account at a previous provider is
   * replaced, and its sessions end.
   * @returns null if no operator has the address
   * @throws SingleSignOnRefusal `email_required`, `account_exists`
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

/** Returns the cause for a change that a sign-in makes. */
const actorOf = (client: Client): NoticeActor => ({
  caller: { email: 'Single sign-on' },
  client,
  cause: 'oidc',
});
