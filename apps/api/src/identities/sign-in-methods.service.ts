import { Injectable } from '@nestjs/common';
import { GatehouseError, hasSignInMethod, type ProjectContext } from '@gatehouse/domain';
import {
  FactorsRepository,
  IdentitiesRepository,
  type CustomerWithPasswordHash,
  type Tx,
} from '@gatehouse/persistence';
import { RequiredProvidersService } from './required-providers.service.js';

/** Prevents customers from removing their last sign-in method. */
@Injectable()
export class SignInMethodsService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly required: RequiredProvidersService,
  ) {}

  /**
   * Checks that a customer who has removed a sign-in method can still sign in. The caller has locked the customer.
   * @throws GatehouseError `last_sign_in_method`
   */
  async assertMaySignIn(tx: Tx, project: ProjectContext, customer: CustomerWithPasswordHash): Promise<void> {
    const { passkeys } = await this.factors.list(customer.id, tx);
    const identities = await this.identities.listUsable(customer.id, tx);
    const required = await this.required.find(project, customer.email, tx);
    const methods = {
      hasPassword: customer.passwordHash !== null,
      passkeys: passkeys.length,
      identities: identities.map(({ provider }) => provider),
      requiredProvider: required?.slug ?? null,
    };
    if (!hasSignInMethod(project, methods)) throw new GatehouseError('last_sign_in_method');
  }
}
