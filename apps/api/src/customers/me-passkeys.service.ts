import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import { notFound, type Customer, type ProjectContext } from '@gatehouse/domain';
import {
  PasskeysRepository,
  ProjectsRepository,
  type Passkey,
  type PasskeyCeremony,
} from '@gatehouse/persistence';
import type { PublicKeyCredentialCreationOptionsJSON } from '@gatehouse/platform';
import { FactorChangesService, type AddedPasskey } from '../factors/factor-changes.service.js';
import { FreshProofService } from '../factors/fresh-proof.service.js';
import type { Client } from '../http/request-context.js';
import { defaultPasskeyName, PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';
import { PasswordCheckService } from '../passwords/password-check.service.js';
import type { AddPasskeyRequest } from './dto/me-passkeys.request.js';

/** Manages signed-in customers' passkeys. Every change requires a recent proof of identity. */
@Injectable()
export class MePasskeysService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly passkeys: PasskeysRepository,
    private readonly ceremonies: PasskeyCeremoniesService,
    private readonly changes: FactorChangesService,
    private readonly fresh: FreshProofService,
    private readonly passwords: PasswordCheckService,
  ) {}

  list({ customer }: CustomerCaller): Promise<Passkey[]> {
    return this.passkeys.list(customer.id);
  }

  /**
   * Returns the options with which the browser creates a passkey.
   * @throws GatehouseError `method_not_enabled`, `reauthentication_required`, the errors for a wrong password,
   *   `too_many_passkeys`
   */
  async begin(
    caller: CustomerCaller,
    password: string | undefined,
    client: Client,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { customer, sessionId } = caller;
    const project = await this.getProject(caller);
    this.ceremonies.assertUsable(project, customer);
    const confirmed = await this.passwords.confirmFactorChange(project, caller, password, client);
    await this.changes.assertMayAddPasskey(customer.id);
    const options = await this.ceremonies.beginRegistration(project, customer, ceremony(customer, sessionId));
    await this.changes.runLocked(caller, (_tx, current) =>
      Promise.resolve(this.passwords.assertUnchanged(current, confirmed)),
    );
    return options;
  }

  /**
   * Adds a passkey. Its challenge was created in this session after a recent proof of identity, so no other
   * proof is required.
   * @throws GatehouseError `method_not_enabled`, `passkey_not_accepted`, `reauthentication_required`,
   *   `too_many_passkeys`, `conflict`
   */
  async add(
    caller: CustomerCaller,
    { name, response }: AddPasskeyRequest,
    client: Client,
  ): Promise<AddedPasskey> {
    const { customer, sessionId } = caller;
    const project = await this.getProject(caller);
    this.ceremonies.assertUsable(project, customer);
    const added = await this.ceremonies.verifyRegistration(project, ceremony(customer, sessionId), response);
    return this.changes.runLocked(caller, async (tx, current) => {
      await this.fresh.assertStillProven(tx, caller, project, current, added.requestedAt);
      const passkeyName = name ?? defaultPasskeyName(client.userAgent);
      return this.changes.addPasskey(tx, project, current, added, passkeyName);
    });
  }

  /** @throws GatehouseError `reauthentication_required`, `not_found` */
  async rename(caller: CustomerCaller, id: string, name: string): Promise<Passkey> {
    const project = await this.getProject(caller);
    await this.fresh.assertFresh(caller, project);
    return this.changes.runLocked(caller, async (tx, customer) => {
      const renamed = await this.passkeys.rename(tx, customer.id, id, name);
      if (!renamed) throw notFound();
      return renamed;
    });
  }

  /**
   * Removes a passkey.
   * @throws GatehouseError `reauthentication_required`, `not_found`, `conflict`, `last_sign_in_method`
   */
  async remove(caller: CustomerCaller, id: string): Promise<void> {
    const project = await this.getProject(caller);
    await this.fresh.assertFresh(caller, project);
    await this.changes.runLocked(caller, async (tx, customer) => {
      const remaining = await this.changes.removePasskey(tx, project, customer, id);
      await this.changes.assertMaySignIn(tx, project, customer, remaining);
    });
  }

  private getProject({ customer }: CustomerCaller): Promise<ProjectContext> {
    return this.projects.getContext(customer.projectId);
  }
}

const ceremony = ({ id: customerId }: Pick<Customer, 'id'>, sessionId: string): PasskeyCeremony => ({
  purpose: 'add',
  customerId,
  sessionId,
  bindingHash: null,
});
