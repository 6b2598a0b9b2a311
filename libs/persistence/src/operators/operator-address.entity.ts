import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An address block from which an operator has signed in. */
@Entity('operator_addresses')
export class OperatorAddressEntity {
  @PrimaryColumn('uuid', { name: 'operator_id' }) operatorId!: string;
  @PrimaryColumn('text', { name: 'address_block' }) addressBlock!: string;
  @Column({ type: 'timestamptz', name: 'last_sign_in_at', precision: 3, default: () => 'now()' })
  lastSignInAt!: Date;
  /** Browsers used for these sign-ins; empty for sign-ins before browsers were stored. */
  @Column('text', { array: true, default: () => `'{}'` }) browsers!: string[];
}
