import type { Tx } from '../transactions.js';
import { OrganizationEntity } from './organization.entity.js';

export class OrganizationsRepository {
  /** Whether there is any organization: an empty house is one that may be seeded. */
  async exists(tx: Tx): Promise<boolean> {
    return tx.manager.exists(OrganizationEntity);
  }

  async insert(tx: Tx, organization: OrganizationEntity): Promise<void> {
    await tx.manager.insert(OrganizationEntity, organization);
  }
}
