import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod, ChallengeKind, ProviderProfile } from '@gatehouse/domain';

/** A sign-in that still requires a second factor. Only a hash of its token is stored. */
@Entity('challenges')
export class ChallengeEntity {
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  @Column('text') kind!: ChallengeKind;
  /** The methods with which the customer has already authenticated. */
  @Column('text', { array: true }) amr!: AuthenticationMethod[];
  /** The identity provider that the sign-in started with, or null. */
  @Column('uuid', { name: 'provider_id', nullable: true }) providerId!: string | null;
  /** The identity to link to the customer when the challenge is completed, or null. */
  @Column('jsonb', { name: 'new_identity', nullable: true }) newIdentity!: ProviderProfile | null;
  /** The hosted page flow that the challenge is bound to. Null for an API challenge. */
  @Column('bytea', { name: 'flow_hash', nullable: true }) flowHash!: Buffer | null;
  /** An enrollment's encrypted authenticator secret. */
  @Column('bytea', { name: 'totp_secret', nullable: true }) totpSecret!: Buffer | null;
  /** Number of received codes and passkey responses. */
  @Column('integer', { name: 'tries', default: 0 }) attempts!: number;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
