import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod, ExchangeMethod, CodeKind, ProviderProfile } from '@gatehouse/domain';

/** A completed sign-in whose code an application exchanges for a session. The code is stored as a hash. */
@Entity('sign_in_exchanges')
export class SignInExchangeEntity {
  @PrimaryColumn('bytea', { name: 'code_hash' }) codeHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  /** How the identity was proven: by `email`, with a provider, or as a customer on the hosted page. */
  @Column('text') method!: ExchangeMethod;
  @Column('text', { name: 'purpose', default: 'sign_in' }) kind!: CodeKind;
  /** Verified email address; null for other methods. */
  @Column('text', { nullable: true }) email!: string | null;
  /** Customer who signed in on the hosted page, or who is linking an identity or reauthenticating; otherwise null. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  /** Session in which the customer is linking an identity or reauthenticating; otherwise null. */
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId!: string | null;
  @Column('uuid', { name: 'provider_id', nullable: true }) providerId!: string | null;
  /** Profile from the provider, or null. */
  @Column('jsonb', { nullable: true }) profile!: ProviderProfile | null;
  /** Authentication methods used on the hosted page; null for other methods. */
  @Column('text', { array: true, nullable: true }) amr!: AuthenticationMethod[] | null;
  @Column('text', { name: 'redirect_url' }) redirectUrl!: string;
  /** S256 code challenge from the client that began the sign-in (RFC 7636). */
  @Column('text', { name: 'code_challenge' }) codeChallenge!: string;
  /** Time at which the client began the sign-in or, for a customer, at which the code was issued. */
  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3 }) requestedAt!: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  /** Time at which the identity was proven. */
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
