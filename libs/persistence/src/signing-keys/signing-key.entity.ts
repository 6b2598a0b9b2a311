import type { JsonWebKey } from 'node:crypto';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A signing key for access tokens. It consists of a key for ES256 and an RSA key for RS256. */
@Entity('signing_keys')
export class SigningKeyEntity {
  @PrimaryColumn('text') kid!: string;
  @Column('jsonb', { name: 'public_jwk' }) publicJwk!: JsonWebKey;
  /** PKCS #8, encrypted. */
  @Column('bytea', { name: 'private_key' }) privateKey!: Buffer;
  /** PKCS #8, encrypted; null if a previous version inserted the key. */
  @Column('bytea', { name: 'rsa_private_key', nullable: true }) rsaPrivateKey!: Buffer | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'activates_at', precision: 3, default: () => 'now()' })
  activatesAt!: Date;
}
