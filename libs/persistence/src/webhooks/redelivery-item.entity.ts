import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RedeliverySkipReason } from '@gatehouse/domain';

/** A delivery that a batch is to create. */
@Entity('redelivery_items')
export class RedeliveryItemEntity {
  @PrimaryColumn('uuid', { name: 'batch_id' }) batchId!: string;
  @PrimaryColumn('uuid', { name: 'endpoint_id' }) endpointId!: string;
  @PrimaryColumn('uuid', { name: 'event_id' }) eventId!: string;
  @Column('uuid', { name: 'delivery_id', nullable: true }) deliveryId!: string | null;
  /** The created delivery. */
  @Column('uuid', { name: 'redelivered_as', nullable: true }) redeliveredAs!: string | null;
  /** The reason why no delivery is created. `endpoint_disabled` until a start that enables the endpoint. */
  @Column('text', { nullable: true }) skipped!: RedeliverySkipReason | null;
}
