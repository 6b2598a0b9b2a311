import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** The newest code in an email with which the customer of a session can prove their identity again. */
@Entity('reauthentication_codes')
export class ReauthenticationCodeEntity {
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId!: string;
  /** Keyed hash of the code. */
  @Column('bytea', { name: 'code_hash' }) codeHash!: Buffer;
  /** Number of evaluated guesses. */
  @Column('integer', { default: 0 }) guesses!: number;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
