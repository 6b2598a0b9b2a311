import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { MailText } from '@gatehouse/domain';
import type { CustomerMailKind } from '@gatehouse/platform';

/** A project's own template for an email kind and language, used instead of the built-in one. */
@Entity('mail_templates')
export class MailTemplateEntity {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('text') kind!: CustomerMailKind;
  @PrimaryColumn('text') language!: string;
  @Column('jsonb') text!: MailText;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}
