import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Access, ApiKeyType, Scope } from '#domain';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text') name!: string;
  @Column('text') type!: ApiKeyType;
  @Column('text') access!: Access;
  @Column('text', { array: true }) scopes!: Scope[];
  @Column('bytea', { name: 'key_hash' }) keyHash!: Buffer;
  @Column('text') prefix!: string;
  @Column('text') last4!: string;
}
