import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An operator's sign-in that is under way at the OpenID Provider. Its content is in the browser's cookie. */
@Entity('operator_flows')
export class OperatorFlowEntity {
  @PrimaryColumn('bytea', { name: 'state_hash' }) stateHash!: Buffer;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
