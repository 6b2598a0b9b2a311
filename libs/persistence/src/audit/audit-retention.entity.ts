import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The minimum age in ms of entries that may be pruned. Only the table owner can change it. The table has one row. */
@Entity('audit_retention')
export class AuditRetentionEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('bigint', { name: 'age_ms' }) ageMs!: string;
}
