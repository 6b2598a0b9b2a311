import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A running api. */
@Entity('apis')
export class ApiEntity {
  @PrimaryColumn('uuid') id!: string;
  /** null for 0.1.0 processes, which another api has seen. */
  @Column('text', { nullable: true }) host!: string | null;
  @Column('text') version!: string;
  /** Timestamp from the newest migration that the api knows. */
  @Column('bigint', { name: 'schema_version' }) schemaVersion!: string;
  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3, default: () => 'now()' }) seenAt!: Date;
}
