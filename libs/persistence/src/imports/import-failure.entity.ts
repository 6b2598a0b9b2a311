import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FieldError, ImportLineStatus } from '@gatehouse/domain';

/** An import line that did not create or update a customer, or was only partly applied. */
@Entity('import_failures')
export class ImportFailureEntity {
  @PrimaryColumn('uuid', { name: 'import_id' }) importId!: string;
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('integer') line!: number;
  @Column('text') status!: ImportLineStatus;
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('jsonb') errors!: FieldError[];
  @Column('jsonb', { default: [] }) warnings!: FieldError[];
}
