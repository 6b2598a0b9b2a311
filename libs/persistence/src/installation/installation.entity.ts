import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The installation's id. The table has one row. */
@Entity('installation')
export class InstallationEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('uuid', { default: () => 'gen_random_uuid()' }) id!: string;
}
