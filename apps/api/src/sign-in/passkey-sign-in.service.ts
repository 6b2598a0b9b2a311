import { Injectable } from '@nestjs/common';
import { addMethods, assertMethodEnabled, type ProjectContext } from '@gatehouse/domain';
import { CustomersRepository, Transactions, type PasskeyCeremony } from '@gatehouse/persistence';
import type { PasskeyAssertion, PublicKeyCredentialRequestOptionsJSON } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';
import { PasskeyCeremoniesService, passkeyNotAccepted } from '../passkeys/passkey-ceremonies.service.js';
import type { AuthResponse } from './dto/auth.response.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInService } from './sign-in.service.js';

const ceremony: PasskeyCeremony = { purpose: 'sign_in', customerId: null, sessionId: null };

/** Signs customers in with a passkey, which names the customer and counts as both factors. */
@Injectable()
export class PasskeySignInService {
  constructor(
    private readonly passkeys: PasskeyCeremoniesService,
    private readonly customers: CustomersRepository,
    private readonly signIn: SignInService,
    private readonly transactions: Transactions,
    private readonly metrics: SignInMetricsService,
  ) {}

  /** @throws GatehouseError `method_not_enabled` */
  begin(project: ProjectContext): Promise<PublicKeyCredentialRequestOptionsJSON> {
    assertMethodEnabled(project, 'passkey');
    return this.passkeys.beginAuthentication(project, ceremony);
  }

  /** @throws GatehouseError `method_not_enabled`, `passkey_not_accepted`, and the errors of a sign-in */
  complete(project: ProjectContext, response: PasskeyAssertion, client: Client): Promise<AuthResponse> {
    return this.metrics.count('passkey', () => this.authenticate(project, response, client));
  }

  private async authenticate(
    project: ProjectContext,
    response: PasskeyAssertion,
    client: Client,
  ): Promise<AuthResponse> {
    assertMethodEnabled(project, 'passkey');
    const passkey = await this.passkeys.verifyAssertion(project, ceremony, response);
    return this.transactions.run(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, passkey.customerId);
      if (!customer) throw passkeyNotAccepted();
      await this.passkeys.assertExists(tx, passkey);
      return this.signIn.complete(tx, project, customer, { amr: addMethods([], passkey.methods) }, client);
    });
  }
}
