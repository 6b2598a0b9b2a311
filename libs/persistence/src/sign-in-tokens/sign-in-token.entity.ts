import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A token with which a secret key lets its holder sign in as a customer, stored as a hash. */
@Entity('sign_in_tokens')
export class SignInTokenEntity {
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  /** The secret key that created the token. */
  @Column('uuid', { name: 'key_id' }) keyId!: string;
  /** Why; null in tokens of earlier versions. */
  @Column('text', { nullable: true }) reason!: string | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
