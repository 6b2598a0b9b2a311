import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in of an operator that is under way at the OpenID Provider. Its content is in the cookie of the browser. */
@Entity('operator_flows')
export class OperatorFlowEntity {
  @PrimaryColumn('bytea', { name: 'state_hash' }) stateHash!: Buffer;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
