import type { MailLimits } from '@gatehouse/domain';
import { IntegerField } from '../../http/input/fields.js';

/** Returns the options for an optional limit. Null resets it to the default. */
const limit = (description: string) => ({ description, optional: true, nullable: true });

const MailLimitField = (description: string): PropertyDecorator =>
  IntegerField({ ...limit(description), min: 1, max: 1_000_000 });

export class MailLimitsRequest implements Partial<Record<keyof MailLimits, number | null>> {
  @MailLimitField(
    'Verification emails, notices that an address is already registered, and codes for new customers',
  )
  signUp?: number | null;
  @MailLimitField('Password reset emails') passwordReset?: number | null;
  @MailLimitField('Emails that confirm a change of address') emailChange?: number | null;
  @MailLimitField('Invitations') invitation?: number | null;
  @MailLimitField('Codes that sign in existing customers') signIn?: number | null;

  @IntegerField({
    ...limit(
      'Emails of one purpose to one recipient. Addresses that differ only in a +tag count as one recipient',
    ),
    min: 1,
    max: 1_000,
  })
  perRecipient?: number | null;
}
