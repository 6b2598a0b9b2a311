import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Times of an endpoint's latest successes and failures. */
@Entity('endpoint_health')
export class EndpointHealthEntity {
  @PrimaryColumn('uuid', { name: 'endpoint_id' }) endpointId!: string;
  @Column({ type: 'timestamptz', name: 'failing_since', precision: 3, nullable: true })
  failingSince!: Date | null;
  @Column({ type: 'timestamptz', name: 'last_success_at', precision: 3, nullable: true })
  lastSuccessAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'last_failure_at', precision: 3, nullable: true })
  lastFailureAt!: Date | null;
}
