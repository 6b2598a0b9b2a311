import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An id token from a native sign-in. It is accepted only once. */
@Entity('used_id_tokens')
export class UsedIdTokenEntity {
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  /** Time at which the token itself expires. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
