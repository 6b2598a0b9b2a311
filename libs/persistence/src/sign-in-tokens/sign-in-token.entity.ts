import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod } from '@gatehouse/domain';

/** A token that is created with a secret key and lets its holder sign in as a customer. It is stored as a hash. */
@Entity('sign_in_tokens')
export class SignInTokenEntity {
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  /** Secret key that created the token. */
  @Column('uuid', { name: 'key_id' }) keyId!: string;
  /** Reason for the sign-in; null in tokens from earlier versions. */
  @Column('text', { nullable: true }) reason!: string | null;
  /** Authentication methods that the customer used in the other system; null in a support token. */
  @Column('text', { array: true, nullable: true }) amr!: AuthenticationMethod[] | null;
  /** Time at which the customer proved their identity in the other system; null in a support token. */
  @Column({ type: 'timestamptz', name: 'auth_time', precision: 3, nullable: true }) authTime!: Date | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
