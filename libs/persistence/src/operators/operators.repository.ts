import type { Tx } from '../transactions.js';
import { OperatorEntity } from './operator.entity.js';

export class OperatorsRepository {
  async insert(tx: Tx, operator: OperatorEntity): Promise<void> {
    await tx.manager.insert(OperatorEntity, operator);
  }
}
