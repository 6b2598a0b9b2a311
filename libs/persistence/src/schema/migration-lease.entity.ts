import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The process that runs migrations. The table has at most one row, and is created by migration-lease.ts, not by a
 * migration.
 */
@Entity('migration_lease')
export class MigrationLeaseEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('uuid') id!: string;
  @Column('text') holder!: string;
  @Column({ type: 'timestamptz', name: 'acquired_at', precision: 3, default: () => 'now()' })
  acquiredAt!: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
}
