import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { ImportState } from '@gatehouse/domain';

/** A customer import. */
@Entity('imports')
export class ImportEntity {
  /** Chosen by the client. Unique within the project. */
  @PrimaryColumn('uuid') id!: string;
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  /** Identifies the request that processes the import. */
  @Column('uuid') claim!: string;
  @Column('text', { default: 'running' }) state!: ImportState;
  @Column('integer', { default: 0 }) created!: number;
  @Column('integer', { default: 0 }) updated!: number;
  @Column('integer', { default: 0 }) skipped!: number;
  @Column('integer', { default: 0 }) failed!: number;
  @Column('integer', { default: 0 }) unchanged!: number;
  @Column('integer', { default: 0 }) incomplete!: number;
  @Column('integer', { name: 'weak_hashes', default: 0 }) weakHashes!: number;
  @Column('integer', { name: 'last_line', default: 0 }) lastLine!: number;
  @Column('bytea', { name: 'lines_mac', nullable: true }) linesMac!: Buffer | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
