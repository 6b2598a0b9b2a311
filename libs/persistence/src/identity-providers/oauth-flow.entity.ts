import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { CodeKind } from '@gatehouse/domain';

/** A sign-in that is under way at a provider. Its state is stored as a hash. */
@Entity('oauth_flows')
export class OAuthFlowEntity {
  @PrimaryColumn('bytea', { name: 'state_hash' }) stateHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('uuid', { name: 'provider_id' }) providerId!: string;
  @Column('text') purpose!: CodeKind;
  /** The signed-in customer who links an identity or proves their identity again; otherwise null. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId!: string | null;
  @Column('text', { name: 'redirect_url' }) redirectUrl!: string;
  /** Verifier hash from the client that began the sign-in (RFC 7636, S256). */
  @Column('text', { name: 'code_challenge' }) codeChallenge!: string;
  /** The application's state, which the redirect returns; or null. */
  @Column('text', { name: 'application_state', nullable: true }) applicationState!: string | null;
  /** The protocol's flow state. Encrypted. Null if an earlier api version began the flow. */
  @Column('bytea', { name: 'flow_state', nullable: true }) flowState!: Buffer | null;
  /** For earlier api versions: the OpenID Connect nonce; otherwise empty. */
  @Column('text') nonce!: string;
  /** For earlier api versions: the OAuth 2.0 verifier; otherwise empty. */
  @Column('text', { name: 'code_verifier' }) codeVerifier!: string;
  /** Maximum age of the proof at the provider in seconds, or null. */
  @Column('integer', { name: 'max_age', nullable: true }) maxAge!: number | null;
  /** The hosted page's query, to which the provider redirects back; null to redirect back to the application. */
  @Column('text', { name: 'page_query', nullable: true }) pageQuery!: string | null;
  /** SHA-256 of the cookie in the browser that began on the hosted page; null elsewhere. */
  @Column('bytea', { name: 'browser_hash', nullable: true }) browserHash!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
