import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { ExchangeMethod } from '@gatehouse/domain';

/** A proof of identity that an application exchanges for a session. Its code is stored as a hash. */
@Entity('sign_in_exchanges')
export class SignInExchangeEntity {
  @PrimaryColumn('bytea', { name: 'code_hash' }) codeHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text') method!: ExchangeMethod;
  /** The address that was proven. */
  @Column('text') email!: string;
  @Column('text', { name: 'redirect_url' }) redirectUrl!: string;
  /** Hash of the verifier of the client that began the sign-in (RFC 7636, S256). */
  @Column('text', { name: 'code_challenge' }) codeChallenge!: string;
  /** When the client began the sign-in. */
  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3 }) requestedAt!: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  /** When the customer gave the proof. */
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
