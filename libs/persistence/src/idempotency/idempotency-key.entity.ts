import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request with an Idempotency-Key and, once it has finished, its encrypted response. */
@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('text') route!: string;
  @PrimaryColumn('bytea', { name: 'key_hash' }) keyHash!: Buffer;
  @Column('bytea') fingerprint!: Buffer;
  /** Identifies the run that may store the response. */
  @Column('uuid') claim!: string;
  @Column('bytea', { name: 'answer', nullable: true }) response!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, default: () => 'now()' }) startedAt!: Date;
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
}
