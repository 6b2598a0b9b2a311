import { ApiProperty } from '@nestjs/swagger';
import { mailReasons, mailStates, type MailReason, type MailState } from '@gatehouse/domain';
import type { MailLogEntry } from '@gatehouse/persistence';
import { mailKinds } from '@gatehouse/platform';

const nullableId = { type: String, format: 'uuid', nullable: true } as const;
const nullableTime = { type: String, format: 'date-time', nullable: true } as const;

/** An entry in the email log. It contains neither the text nor the link of the email. */
export class MailLogResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ ...nullableId, description: 'Null for an email to an operator' }) projectId!: string | null;
  @ApiProperty({
    ...nullableId,
    description:
      'Null for an email to an operator, to an address without a customer, or to a deleted customer',
  })
  customerId!: string | null;
  @ApiProperty({ enum: mailKinds }) kind!: string;
  @ApiProperty({
    type: String,
    format: 'email',
    nullable: true,
    description: 'Null if the customer has been deleted',
  })
  recipient!: string | null;
  @ApiProperty({
    enum: mailStates,
    description:
      '`queued`: waiting to be sent or for another attempt. `sent`: accepted by the mail server, or captured. `failed`: not accepted. `dropped`: never sent, because of `reason`',
  })
  state!: MailState;
  @ApiProperty({
    type: String,
    enum: mailReasons,
    nullable: true,
    description:
      'Why the email was dropped or failed. `recipient_limit`, `project_limit`: an entry of `mailLimits` in the project settings. `too_soon`: the previous email of this kind was requested less than a minute earlier. `customer_deleted`: the customer was deleted before it was sent. `rejected`: the mail server rejected it permanently. `expired`: its link expired before the mail server accepted it',
  })
  reason!: MailReason | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '550 5.1.1 User unknown',
    description: 'Last error response of the mail server, or the code of a connection error',
  })
  response!: string | null;
  @ApiProperty({ description: 'True if the email was captured because no mail server was configured' })
  captured!: boolean;
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of attempts to send the email' })
  attempts!: number;
  @ApiProperty({ ...nullableTime, description: 'Time of the next attempt. Null unless `queued`' })
  nextAttemptAt!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ ...nullableTime, description: 'Time at which it was sent, failed or was dropped' })
  finishedAt!: string | null;

  static from(mail: MailLogEntry): MailLogResponse {
    const { id, projectId, customerId, kind, recipient, state, reason, response, attempts } = mail;
    return {
      id,
      projectId,
      customerId,
      kind,
      recipient: recipient || null,
      state: publicMailStates[state],
      reason,
      response,
      captured: state === 'kept',
      attempts,
      nextAttemptAt: state === 'pending' ? mail.nextAttemptAt.toISOString() : null,
      createdAt: mail.createdAt.toISOString(),
      finishedAt: mail.finishedAt?.toISOString() ?? null,
    };
  }
}

/** Email states as the API returns them. */
export const publicMailStates: Record<MailLogEntry['state'], MailState> = {
  pending: 'queued',
  sent: 'sent',
  kept: 'sent',
  failed: 'failed',
  dropped: 'dropped',
};
