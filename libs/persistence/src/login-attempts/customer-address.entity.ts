import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An address block from which a customer has signed in. */
@Entity('customer_addresses')
export class CustomerAddressEntity {
  @PrimaryColumn('uuid', { name: 'customer_id' }) customerId!: string;
  @PrimaryColumn('text', { name: 'address_block' }) addressBlock!: string;
  @Column({ type: 'timestamptz', name: 'last_login_at', precision: 3, default: () => 'now()' })
  lastLoginAt!: Date;
}
