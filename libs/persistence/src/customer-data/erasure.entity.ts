import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A deleted customer whose events are being erased. */
@Entity('erasures')
export class ErasureEntity {
  @PrimaryColumn('uuid', { name: 'customer_id' }) customerId!: string;
  /** Events up to and including this one have been erased. */
  @Column('uuid', { name: 'last_event_id', default: '00000000-0000-0000-0000-000000000000' })
  lastEventId!: string;
}
