import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { CodeKind } from '@gatehouse/domain';

/** A sign-in in progress at a provider. Only a hash of its state is stored. */
@Entity('oauth_flows')
export class OAuthFlowEntity {
  @PrimaryColumn('bytea', { name: 'state_hash' }) stateHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('uuid', { name: 'provider_id' }) providerId!: string;
  @Column('text') purpose!: CodeKind;
  /** The signed-in customer who links an identity or reauthenticates; otherwise null. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId!: string | null;
  @Column('text', { name: 'redirect_url' }) redirectUrl!: string;
  /** Verifier hash from the client that started the sign-in (RFC 7636, S256). */
  @Column('text', { name: 'code_challenge' }) codeChallenge!: string;
  /** State from the application, which the redirect returns, or null. */
  @Column('text', { name: 'application_state', nullable: true }) applicationState!: string | null;
  /** Encrypted protocol flow state. Null if an earlier API version started the flow. */
  @Column('bytea', { name: 'flow_state', nullable: true }) flowState!: Buffer | null;
  /** The OpenID Connect nonce, for earlier API versions; otherwise empty. */
  @Column('text') nonce!: string;
  /** The OAuth 2.0 verifier, for earlier API versions; otherwise empty. */
  @Column('text', { name: 'code_verifier' }) codeVerifier!: string;
  /** Maximum age in seconds of the authentication with the provider, or null. */
  @Column('integer', { name: 'max_age', nullable: true }) maxAge!: number | null;
  /** Query of the hosted page that the browser returns to. Null if it returns to the application. */
  @Column('text', { name: 'page_query', nullable: true }) pageQuery!: string | null;
  /** The browser cookie's SHA-256 hash if the sign-in started on the hosted page; otherwise null. */
  @Column('bytea', { name: 'browser_hash', nullable: true }) browserHash!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
