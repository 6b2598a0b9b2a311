import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import { effectiveMfa, GatehouseError, type ProjectContext } from '@gatehouse/domain';
import { SessionProofsRepository } from '@gatehouse/persistence';

/** Protects changes of an account from a client that only has a session (requirement MF-05). */
@Injectable()
export class FreshProofService {
  constructor(private readonly proofs: SessionProofsRepository) {}

  /**
   * Requires a proof of identity in this session within the last ten minutes; of a customer with a second factor, one
   * by this factor as well.
   * @param options `withPassword` if the request contains the password, which the caller verifies afterwards
   * @throws GatehouseError `reauthentication_required` with the methods that the customer can use;
   *   `invalid_access_token` if the session has ended in the meantime
   */
  async assertFresh(
    { customer, sessionId }: CustomerCaller,
    { settings }: ProjectContext,
    { withPassword = false } = {},
  ): Promise<void> {
    const session = await this.proofs.getFreshness(customer.id, sessionId);
    if (!session) throw new GatehouseError('invalid_access_token');
    const hasFactor = session.hasFactor && effectiveMfa(settings.mfa, customer.mfa) !== 'off';
    const isFactorMissing = hasFactor && !session.isFactorFresh;
    if ((withPassword || session.isFresh) && !isFactorMissing) return;
    const methods = [
      // The password alone would not be sufficient.
      ...(session.hasPassword && !isFactorMissing ? ['password'] : []),
      ...(hasFactor ? ['totp'] : []),
      ...(hasFactor && session.hasRecoveryCodes ? ['recovery_code'] : []),
    ];
    throw new GatehouseError('reauthentication_required', { members: { methods } });
  }
}
