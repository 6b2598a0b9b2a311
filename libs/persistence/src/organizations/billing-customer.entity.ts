import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An organization's customer at the billing provider. */
@Entity('billing_customers')
export class BillingCustomerEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'creation_key', default: () => 'gen_random_uuid()' }) creationKey!: string;
  @Column('text', { name: 'customer_id', nullable: true }) customerId!: string | null;
}
