import type { JsonWebKey } from 'node:crypto';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A signing key of access tokens. */
@Entity('signing_keys')
export class SigningKeyEntity {
  @PrimaryColumn('text') kid!: string;
  @Column('jsonb', { name: 'public_jwk' }) publicJwk!: JsonWebKey;
  /** PKCS #8, encrypted. */
  @Column('bytea', { name: 'private_key' }) privateKey!: Buffer;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'activates_at', precision: 3, default: () => 'now()' })
  activatesAt!: Date;
}
