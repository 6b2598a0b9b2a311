import { Entity, PrimaryColumn } from 'typeorm';

/** A customer's unused recovery code, stored as a hash. */
@Entity('recovery_codes')
export class RecoveryCodeEntity {
  @PrimaryColumn('uuid', { name: 'customer_id' }) customerId!: string;
  @PrimaryColumn('bytea', { name: 'code_hash' }) codeHash!: Buffer;
}
