import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RedeliverySkipReason } from '@gatehouse/domain';

/** A delivery that a batch creates or skips. */
@Entity('redelivery_items')
export class RedeliveryItemEntity {
  @PrimaryColumn('uuid', { name: 'batch_id' }) batchId!: string;
  @PrimaryColumn('uuid', { name: 'endpoint_id' }) endpointId!: string;
  @PrimaryColumn('uuid', { name: 'event_id' }) eventId!: string;
  @Column('uuid', { name: 'delivery_id', nullable: true }) deliveryId!: string | null;
  /** Delivery that was created, or null. */
  @Column('uuid', { name: 'redelivered_as', nullable: true }) redeliveredAs!: string | null;
  /**
   * Reason why no delivery is created. `endpoint_disabled` is cleared if the endpoint is enabled when the batch
   * starts.
   */
  @Column('text', { nullable: true }) skipped!: RedeliverySkipReason | null;
}
