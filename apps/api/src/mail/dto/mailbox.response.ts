import { ApiProperty } from '@nestjs/swagger';
import type { ProjectMail } from '@gatehouse/persistence';
import { mailKinds, type RenderedMail } from '@gatehouse/platform';

/** The content of an email as the recipient would see it. */
export type RenderedContent = Pick<RenderedMail, 'subject' | 'text' | 'html' | 'link'>;

/** An email that was captured because no mail server is configured. */
export class MailboxEntry {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ enum: mailKinds }) kind!: string;
  @ApiProperty({ format: 'email' }) to!: string;
  @ApiProperty({ example: 'Confirm your email address for Difference Engine' }) subject!: string;
  @ApiProperty() text!: string;
  @ApiProperty() html!: string;
  /** Null for notices. */
  @ApiProperty({ type: String, format: 'uri', nullable: true }) link!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;

  static from(mail: ProjectMail, rendered: RenderedContent): MailboxEntry {
    const { subject, text, html, link } = rendered;
    const { id, projectId, kind, recipient } = mail;
    return {
      id,
      projectId,
      kind,
      to: recipient,
      subject,
      text,
      html,
      link,
      createdAt: mail.createdAt.toISOString(),
    };
  }
}
