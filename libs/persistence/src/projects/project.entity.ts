import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StoredSettings } from '#domain';

@Entity('projects')
export class ProjectEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('text') name!: string;
  @Column('text') slug!: string;
  /** Only what differs from the defaults. */
  @Column('jsonb') settings!: StoredSettings;
}
