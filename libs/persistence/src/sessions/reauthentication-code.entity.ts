import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** The newest emailed code with which the session's customer can prove their identity again. */
@Entity('reauthentication_codes')
export class ReauthenticationCodeEntity {
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId!: string;
  /** The code's keyed hash. */
  @Column('bytea', { name: 'code_hash' }) codeHash!: Buffer;
  /** Number of evaluated guesses. */
  @Column('integer', { default: 0 }) guesses!: number;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
