import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod, ChallengeKind, ProviderProfile } from '@gatehouse/domain';

/** A sign-in that lacks a second factor. Its token is stored as a hash. */
@Entity('challenges')
export class ChallengeEntity {
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  @Column('text') kind!: ChallengeKind;
  /** The methods that the customer has already proven. */
  @Column('text', { array: true }) amr!: AuthenticationMethod[];
  /** The identity provider with which the sign-in began, or null. */
  @Column('uuid', { name: 'provider_id', nullable: true }) providerId!: string | null;
  /** The person at the provider whom the completed challenge links to the customer, or null. */
  @Column('jsonb', { name: 'new_identity', nullable: true }) newIdentity!: ProviderProfile | null;
  /** The hosted page flow to which the challenge is bound; null for an API challenge. */
  @Column('bytea', { name: 'flow_hash', nullable: true }) flowHash!: Buffer | null;
  /** An enrollment's authenticator secret, encrypted. */
  @Column('bytea', { name: 'totp_secret', nullable: true }) totpSecret!: Buffer | null;
  /** Number of received codes and passkey responses. */
  @Column('integer', { name: 'tries', default: 0 }) attempts!: number;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
