import { Injectable } from '@nestjs/common';
import { addMethods, assertMethodEnabled, type ProjectContext } from '@gatehouse/domain';
import { CustomersRepository, Transactions, type PasskeyCeremony } from '@gatehouse/persistence';
import type { Client } from '../http/request-context.js';
import {
  sha256,
  type PasskeyAssertion,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@gatehouse/platform';
import { PasskeyCeremoniesService, passkeyNotAcceptedError } from '../passkeys/passkey-ceremonies.service.js';
import type { AuthResponse } from './dto/auth.response.js';
import { CurrentProof } from './current-proof.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInService } from './sign-in.service.js';

/** Client properties that identify the page on which the customer signs in. */
type PageClient = Pick<Client, 'page'>;

/** Returns the ceremony of a sign-in. On the hosted page, the response is bound to the page's target. */
const ceremony = ({ page }: PageClient): PasskeyCeremony => {
  const { redirectUrl, codeChallenge, state = null } = page?.target ?? {};
  const bindingHash = page ? sha256(JSON.stringify([redirectUrl, codeChallenge, state])) : null;
  return { purpose: 'sign_in', customerId: null, sessionId: null, bindingHash };
};

/** Signs customers in with a passkey, which identifies the customer and counts as both factors. */
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
  begin(project: ProjectContext, client: PageClient = {}): Promise<PublicKeyCredentialRequestOptionsJSON> {
    assertMethodEnabled(project, 'passkey');
    return this.passkeys.beginAuthentication(project, ceremony(client));
  }

  /** @throws GatehouseError `method_not_enabled`, `passkey_not_accepted`, and every sign-in error */
  complete(project: ProjectContext, response: PasskeyAssertion, client: Client): Promise<AuthResponse> {
    return this.metrics.count('passkey', () => this.authenticate(project, response, client));
  }

  private async authenticate(
    project: ProjectContext,
    response: PasskeyAssertion,
    client: Client,
  ): Promise<AuthResponse> {
    assertMethodEnabled(project, 'passkey');
    const passkey = await this.passkeys.verifyAssertion(project, ceremony(client), response);
    return this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, passkey.customerId);
      if (!customer) throw passkeyNotAcceptedError();
      const amr = addMethods([], passkey.methods);
      const proof = CurrentProof.verify(customer, passkey.requestedAt, { amr });
      if (!proof) throw passkeyNotAcceptedError();
      await this.passkeys.assertExists(tx, passkey);
      return this.signIn.complete(tx, project, customer, proof, client);
    });
  }
}
