import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A pending operator sign-in with the OpenID Provider. Its content is in a cookie in the browser. */
@Entity('operator_flows')
export class OperatorFlowEntity {
  @PrimaryColumn('bytea', { name: 'state_hash' }) stateHash!: Buffer;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
