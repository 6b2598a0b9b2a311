import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod, FlowPurpose, ProviderProfile } from '@gatehouse/domain';

/**
 * A sign-in that is under way on the hosted page, bound to the redirect URL and the code challenge with which it
 * began. The page's query contains its secret, which is stored as a hash.
 */
@Entity('sign_in_flows')
export class SignInFlowEntity {
  @PrimaryColumn('bytea', { name: 'secret_hash' }) secretHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text', { default: 'sign_in' }) purpose!: FlowPurpose;
  @Column('text', { name: 'redirect_url' }) redirectUrl!: string;
  /** Verifier hash from the client that began the sign-in (RFC 7636, S256). */
  @Column('text', { name: 'code_challenge' }) codeChallenge!: string;
  /** The application's state, which the redirect returns; or null. */
  @Column('text', { name: 'application_state', nullable: true }) applicationState!: string | null;
  /** The customer who has signed in, or whose second factor is missing; null if not known. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('uuid', { name: 'provider_id', nullable: true }) providerId!: string | null;
  /** The person at the provider who has yet to sign in, or null. */
  @Column('jsonb', { nullable: true }) profile!: ProviderProfile | null;
  /** The methods that the customer has proven; null if the sign-in is not complete. */
  @Column('text', { array: true, nullable: true }) amr!: AuthenticationMethod[] | null;
  /** SHA-256 of the cookie in the browser that began at a provider; null without one. */
  @Column('bytea', { name: 'browser_hash', nullable: true }) browserHash!: Buffer | null;
  /** Time at which the client began the sign-in, or at which the customer completed it. */
  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3 }) requestedAt!: Date;
  /** Time at which the last proof was given, or null. */
  @Column({ type: 'timestamptz', name: 'proven_at', precision: 3, nullable: true }) provenAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
