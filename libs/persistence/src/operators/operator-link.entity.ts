import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A setup link for the installation, or an operator's invitation link. */
@Entity('operator_links')
export class OperatorLinkEntity {
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('uuid', { name: 'operator_id', nullable: true }) operatorId!: string | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
