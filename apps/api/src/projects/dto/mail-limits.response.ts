import { ApiProperty } from '@nestjs/swagger';
import type { MailLimits } from '@gatehouse/domain';

const emailsPerHour = (description: string, fallback: number) => ({
  type: 'integer' as const,
  default: fallback,
  description,
});

/** Maximum number of emails per hour. Emails to unverified addresses are counted separately. */
export class MailLimitsResponse implements MailLimits {
  @ApiProperty(
    emailsPerHour(
      'Verification emails, notices that an address is already registered, and codes for new customers',
      2_000,
    ),
  )
  signUp!: number;
  @ApiProperty(emailsPerHour('Password reset emails', 2_000)) passwordReset!: number;
  @ApiProperty(emailsPerHour('Emails that confirm a change of address', 2_000)) emailChange!: number;
  @ApiProperty(emailsPerHour('Invitations', 2_000)) invitation!: number;
  @ApiProperty(emailsPerHour('Codes that sign in existing customers', 10_000)) signIn!: number;
  @ApiProperty(
    emailsPerHour(
      'Emails of one purpose to one recipient. Addresses that differ only in a +tag count as one recipient',
      5,
    ),
  )
  perRecipient!: number;
}
