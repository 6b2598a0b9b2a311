import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { OneTimeTokenKind } from '@gatehouse/domain';

/** A one-time token, stored as a hash. */
@Entity('one_time_tokens')
export class OneTimeTokenEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  @Column('text') kind!: OneTimeTokenKind;
  @Column('text') email!: string;
  @Column('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('text', { name: 'redirect_url', nullable: true }) redirectUrl!: string | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @Column({ type: 'timestamptz', name: 'consumed_at', precision: 3, nullable: true })
  consumedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'voided_at', precision: 3, nullable: true }) voidedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column('uuid', { name: 'group_id', nullable: true }) groupId!: string | null;
}
