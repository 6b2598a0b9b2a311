import { ApiProperty } from '@nestjs/swagger';
import { mailVariables, type MailText } from '@gatehouse/domain';
import {
  customerMailKinds,
  mailVariablesOf,
  type CustomerMailKind,
  type RenderedMail,
} from '@gatehouse/platform';

/** The effective template for one kind of email in one language: the project's or the built-in one. */
export interface EffectiveMailTemplate {
  kind: CustomerMailKind;
  language: string;
  text: MailText;
  /** Null for the built-in template. */
  updatedAt: Date | null;
}

const linkOnly = { type: String, nullable: true, description: 'Null for an email without a link' };

/** The template for one kind of email in one language. */
export class MailTemplateResponse implements MailText {
  @ApiProperty({ enum: customerMailKinds }) kind!: string;
  @ApiProperty({ description: 'BCP 47 tag', example: 'de' }) language!: string;
  @ApiProperty({ description: 'False for the built-in text' }) customized!: boolean;
  @ApiProperty({ example: 'Confirm your email address for {{project_name}}' }) subject!: string;
  @ApiProperty({ example: 'Confirm your email address' }) heading!: string;
  @ApiProperty({ type: [String], description: 'Paragraphs before the button' }) paragraphs!: string[];
  @ApiProperty({ ...linkOnly, example: 'Confirm email address' }) button!: string | null;
  @ApiProperty({ ...linkOnly, example: 'Or open this link:' }) linkLabel!: string | null;
  @ApiProperty({ type: [String], description: 'Small print after the link' }) closing!: string[];
  @ApiProperty({
    enum: mailVariables,
    isArray: true,
    description: 'Variables that the texts can contain, such as `{{project_name}}`',
  })
  variables!: string[];
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null for the built-in text',
  })
  updatedAt!: string | null;

  static from({ kind, language, text, updatedAt }: EffectiveMailTemplate): MailTemplateResponse {
    const { subject, heading, paragraphs, button, linkLabel, closing } = text;
    return {
      kind,
      language,
      customized: updatedAt !== null,
      subject,
      heading,
      paragraphs,
      button,
      linkLabel,
      closing,
      variables: mailVariablesOf(kind),
      updatedAt: updatedAt?.toISOString() ?? null,
    };
  }
}

/** An email rendered with sample values. */
export class MailPreviewResponse {
  @ApiProperty() subject!: string;
  @ApiProperty({ description: 'The email in plain text' }) text!: string;
  @ApiProperty() html!: string;

  static from({ subject, text, html }: RenderedMail): MailPreviewResponse {
    return { subject, text, html };
  }
}
