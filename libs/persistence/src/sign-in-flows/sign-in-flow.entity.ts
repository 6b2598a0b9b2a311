import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod, FlowPurpose, ProviderProfile } from '@gatehouse/domain';

/**
 * A pending sign-in on the hosted page, bound to the redirect URL and the code challenge that it began with. The
 * page's query contains its secret, which is stored as a hash.
 */
@Entity('sign_in_flows')
export class SignInFlowEntity {
  @PrimaryColumn('bytea', { name: 'secret_hash' }) secretHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text', { default: 'sign_in' }) purpose!: FlowPurpose;
  @Column('text', { name: 'redirect_url' }) redirectUrl!: string;
  /** S256 code challenge from the client that began the sign-in (RFC 7636). */
  @Column('text', { name: 'code_challenge' }) codeChallenge!: string;
  /** State that the application passed and that the redirect returns, or null. */
  @Column('text', { name: 'application_state', nullable: true }) applicationState!: string | null;
  /** Customer who has signed in or whose second factor is still missing; null if not known yet. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('uuid', { name: 'provider_id', nullable: true }) providerId!: string | null;
  /** Profile from a provider whose sign-in is not complete yet, or null. */
  @Column('jsonb', { nullable: true }) profile!: ProviderProfile | null;
  /** Authentication methods that the customer has used; null if the sign-in is not complete. */
  @Column('text', { array: true, nullable: true }) amr!: AuthenticationMethod[] | null;
  /** SHA-256 of the cookie in the browser that began a sign-in with a provider; null for other flows. */
  @Column('bytea', { name: 'browser_hash', nullable: true }) browserHash!: Buffer | null;
  /** Time at which the client began the sign-in, or the customer completed it. */
  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3 }) requestedAt!: Date;
  /** Time at which the identity was last proven, or null. */
  @Column({ type: 'timestamptz', name: 'proven_at', precision: 3, nullable: true }) provenAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
