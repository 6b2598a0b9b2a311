import { Injectable } from '@nestjs/common';
import type { Customer, CustomerEventType, ProjectContext } from '@gatehouse/domain';
import { IdentitiesRepository, type NewEvent, type TotpFactor, type Tx } from '@gatehouse/persistence';
import { customerEvent } from '../events/customer-events.js';
import { FactorResponse } from '../factors/dto/factors.response.js';
import { IdentityResponse } from '../identities/dto/identity.response.js';
import { PasskeyResponse } from '../passkeys/dto/passkey.response.js';
import type { Additions } from './import-additions.service.js';
import { identityKey } from './imported-identities.service.js';

/** The credentials that an update added to a customer. */
export interface AppliedAdditions {
  after: Customer;
  added: Additions;
  /** The authenticator app that was added, if any. */
  factor: TotpFactor | undefined;
}

/** Creates the events for credentials that updates of an import added, as if the customers had added them. */
@Injectable()
export class ImportAdditionEventsService {
  constructor(private readonly identities: IdentitiesRepository) {}

  /** Returns the events for all updates, keyed by customer id. */
  async create(
    tx: Tx,
    project: ProjectContext,
    updates: AppliedAdditions[],
  ): Promise<Map<string, NewEvent[]>> {
    const linked = updates.filter(({ added }) => added.candidate.identities.length > 0);
    const identities =
      linked.length === 0
        ? []
        : await this.identities.listByCustomers(
            linked.map(({ after }) => after.id),
            tx,
          );
    return new Map(
      updates.map(({ after, added: { candidate, names }, factor }) => {
        const keys = new Set(candidate.identities.map(identityKey));
        const own = identities.filter((each) => each.customerId === after.id && keys.has(identityKey(each)));
        const event = (type: CustomerEventType, data?: Record<string, unknown>): NewEvent =>
          customerEvent(type, after, project, data);
        return [
          after.id,
          [
            ...(names.includes('passwordHash') ? [event('password.changed')] : []),
            ...(factor ? [event('factor.added', { factor: FactorResponse.from(factor) })] : []),
            ...candidate.passkeys.map((passkey) =>
              event('passkey.added', { passkey: PasskeyResponse.from(passkey) }),
            ),
            ...own.map((identity) => event('identity.linked', { identity: IdentityResponse.from(identity) })),
          ],
        ];
      }),
    );
  }
}
