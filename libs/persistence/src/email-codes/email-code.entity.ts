import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A code that signs in an email address's owner. It is useless without its challenge token. */
@Entity('email_codes')
export class EmailCodeEntity {
  /** The challenge token's SHA-256 hash. */
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text') email!: string;
  /** The code's keyed hash. Null if no email was sent, so that no code is correct. */
  @Column('bytea', { name: 'code_hash', nullable: true }) codeHash!: Buffer | null;
  /** SHA-256 hash of the link token in the email. Null if the email contains no link. */
  @Column('bytea', { name: 'link_hash', nullable: true }) linkHash!: Buffer | null;
  /** Link destination. Null without a link, like `codeChallenge`. */
  @Column('text', { name: 'redirect_url', nullable: true }) redirectUrl!: string | null;
  /** Verifier hash from the client that requested the link (RFC 7636, S256). */
  @Column('text', { name: 'code_challenge', nullable: true }) codeChallenge!: string | null;
  /** Address block of the client that requested the code, or null if unknown. */
  @Column('text', { name: 'address_block', nullable: true }) addressBlock!: string | null;
  /** The hosted page flow that the code is bound to. Null if the code was requested through the API. */
  @Column('bytea', { name: 'flow_hash', nullable: true }) flowHash!: Buffer | null;
  /** True for six digits. Such codes are rejected while the project has too many wrong guesses. */
  @Column('boolean', { name: 'is_short' }) isShort!: boolean;
  /** Number of evaluated guesses. */
  @Column('integer', { default: 0 }) guesses!: number;
  @Column({ type: 'timestamptz', name: 'consumed_at', precision: 3, nullable: true })
  consumedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
