import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The age in ms up to which the audit log cannot be pruned. Only the table owner can change it. The table has one row. */
@Entity('audit_retention')
export class AuditRetentionEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('bigint', { name: 'age_ms' }) ageMs!: string;
}
