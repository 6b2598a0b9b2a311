import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod, ExchangeMethod, CodeKind, ProviderProfile } from '@gatehouse/domain';

/** An identity proof that an application exchanges for a session. Its code is stored as a hash. */
@Entity('sign_in_exchanges')
export class SignInExchangeEntity {
  @PrimaryColumn('bytea', { name: 'code_hash' }) codeHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  /** The party that has proven their identity: the owner of `email`, a person at a provider, or a customer. */
  @Column('text') method!: ExchangeMethod;
  @Column('text', { name: 'purpose', default: 'sign_in' }) kind!: CodeKind;
  /** The email address that was proven; null for another method. */
  @Column('text', { nullable: true }) email!: string | null;
  /** The customer who has signed in on a hosted page, or who links an identity; otherwise null. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  /** The session in which the customer links an identity or proves their identity again; otherwise null. */
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId!: string | null;
  @Column('uuid', { name: 'provider_id', nullable: true }) providerId!: string | null;
  /** The person at the provider, or null. */
  @Column('jsonb', { nullable: true }) profile!: ProviderProfile | null;
  /** The methods that the customer has proven on a hosted page; null for another method. */
  @Column('text', { array: true, nullable: true }) amr!: AuthenticationMethod[] | null;
  @Column('text', { name: 'redirect_url' }) redirectUrl!: string;
  /** Verifier hash from the client that began the sign-in (RFC 7636, S256). */
  @Column('text', { name: 'code_challenge' }) codeChallenge!: string;
  /** Time at which the client began the sign-in; for a customer, at which the code was issued. */
  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3 }) requestedAt!: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  /** Time at which the proof was given. */
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
