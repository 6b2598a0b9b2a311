import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** The latest reauthentication code that was emailed for a session. */
@Entity('reauthentication_codes')
export class ReauthenticationCodeEntity {
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId!: string;
  /** The code's keyed hash. */
  @Column('bytea', { name: 'code_hash' }) codeHash!: Buffer;
  @Column('integer', { default: 0 }) guesses!: number;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
