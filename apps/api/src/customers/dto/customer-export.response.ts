import { ApiProperty } from '@nestjs/swagger';
import { oneTimeTokenKinds, publicId, type Customer } from '#domain';
import type {
  CarryingAttempt,
  CustomerRecords,
  KnownAddress,
  MailRecord,
  PastSession,
  TokenRecord,
} from '#persistence';
import { SessionResponse } from '../../sessions/dto/session.response.js';
import { CustomerResponse } from './customer.response.js';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A session, also one that has ended. */
export class PastSessionResponse extends SessionResponse {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time at which the session was revoked',
  })
  revokedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'logout' }) revokedReason!: string | null;

  static override from(session: PastSession): PastSessionResponse {
    const { revokedAt, revokedReason } = session;
    return { ...SessionResponse.from(session), revokedAt: iso(revokedAt), revokedReason };
  }
}

/** Where a customer has logged in from. */
export class KnownAddressResponse {
  @ApiProperty({ description: 'Network of the client in CIDR notation', example: '2001:db8::/64' })
  address!: string;

  @ApiProperty({ format: 'date-time' }) lastLoginAt!: string;

  static from({ addressBlock, lastLoginAt }: KnownAddress): KnownAddressResponse {
    return { address: addressBlock, lastLoginAt: lastLoginAt.toISOString() };
  }
}

/** A link that was mailed to a customer, without the link. */
export class TokenRecordResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: oneTimeTokenKinds }) kind!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: ['live', 'consumed', 'expired', 'voided'] }) state!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) expiresAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) consumedAt!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) voidedAt!: string | null;

  static from(token: TokenRecord): TokenRecordResponse {
    return {
      id: token.id,
      kind: token.kind,
      email: token.email,
      state: token.state,
      createdAt: token.createdAt.toISOString(),
      expiresAt: token.expiresAt.toISOString(),
      consumedAt: iso(token.consumedAt),
      voidedAt: iso(token.voidedAt),
    };
  }
}

/** A mail to a customer, without its text. */
export class MailRecordResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'verify-email' }) kind!: string;
  @ApiProperty({ format: 'email' }) to!: string;
  @ApiProperty({ enum: ['pending', 'sent', 'kept', 'failed'] }) state!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finishedAt!: string | null;

  static from({ id, kind, recipient, state, createdAt, finishedAt }: MailRecord): MailRecordResponse {
    const times = { createdAt: createdAt.toISOString(), finishedAt: iso(finishedAt) };
    return { id, kind, to: recipient, state, ...times };
  }
}

/** A request that carried an event about a customer to a target. */
export class CarryingAttemptResponse {
  @ApiProperty({ example: 'att_019aa2c0-7d1e-7000-8000-000000000000' }) id!: string;
  @ApiProperty() deliveryId!: string;
  @ApiProperty() eventId!: string;
  @ApiProperty({ example: 'customer.created' }) event!: string;
  @ApiProperty() endpointId!: string;
  @ApiProperty() targetUrl!: string;
  @ApiProperty() attempt!: number;
  @ApiProperty({ description: 'HTTP status of the response. 0: no response was received' })
  httpStatus!: number;
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: String, nullable: true }) error!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;

  static from(attempt: CarryingAttempt): CarryingAttemptResponse {
    return {
      id: publicId('attempt', attempt.id),
      deliveryId: publicId('delivery', attempt.deliveryId),
      eventId: publicId('event', attempt.eventId),
      event: attempt.eventType,
      endpointId: publicId('endpoint', attempt.endpointId),
      targetUrl: attempt.targetUrl,
      attempt: attempt.attempt,
      httpStatus: attempt.httpStatus,
      success: attempt.success,
      error: attempt.error,
      createdAt: attempt.startedAt.toISOString(),
    };
  }
}

/** Everything that is kept about one customer, each list newest first. */
export class CustomerExportResponse {
  @ApiProperty({ format: 'date-time' }) exportedAt!: string;
  @ApiProperty({
    description: 'True if a list was truncated after 10,000 entries, or the events after 10 MiB',
  })
  truncated!: boolean;
  @ApiProperty({ type: CustomerResponse }) customer!: CustomerResponse;
  @ApiProperty({ type: [PastSessionResponse] }) sessions!: PastSessionResponse[];
  @ApiProperty({ type: [KnownAddressResponse] }) knownAddresses!: KnownAddressResponse[];
  @ApiProperty({ type: [TokenRecordResponse] }) oneTimeTokens!: TokenRecordResponse[];
  @ApiProperty({ type: [MailRecordResponse] }) mails!: MailRecordResponse[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Events in the format of webhook bodies',
  })
  events!: unknown[];

  @ApiProperty({ type: [CarryingAttemptResponse] }) webhookAttempts!: CarryingAttemptResponse[];

  /** @param limit of each list; what is beyond is left out */
  static from(
    customer: Customer,
    records: CustomerRecords,
    limit: number,
    exportedAt: Date,
  ): CustomerExportResponse {
    const { sessions, knownAddresses, tokens, mails, events, attempts } = records;
    const newest = <In, Out>(list: In[], show: (entry: In) => Out): Out[] => list.slice(0, limit).map(show);
    return {
      exportedAt: exportedAt.toISOString(),
      truncated: Object.values(records).some((list: unknown[]) => list.length > limit || list.includes(null)),
      customer: CustomerResponse.from(customer),
      sessions: newest(sessions, (session) => PastSessionResponse.from(session)),
      knownAddresses: newest(knownAddresses, (address) => KnownAddressResponse.from(address)),
      oneTimeTokens: newest(tokens, (token) => TokenRecordResponse.from(token)),
      mails: newest(mails, (mail) => MailRecordResponse.from(mail)),
      events: newest(
        events.filter((body) => body !== null),
        (body): unknown => JSON.parse(body),
      ),
      webhookAttempts: newest(attempts, (attempt) => CarryingAttemptResponse.from(attempt)),
    };
  }
}
