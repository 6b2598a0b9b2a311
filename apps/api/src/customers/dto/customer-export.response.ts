import { ApiProperty } from '@nestjs/swagger';
import { oneTimeTokenKinds, publicId } from '@gatehouse/domain';
import type {
  CustomerDeliveryAttempt,
  CustomerDetails,
  CustomerFactors,
  CustomerRecords,
  KnownAddress,
  MailRecord,
  CustomerSessionRecord,
  TokenRecord,
} from '@gatehouse/persistence';
import { FactorsResponse } from '../../factors/dto/factors.response.js';
import { IdentityResponse } from '../../identities/dto/identity.response.js';
import { PasskeyResponse } from '../../passkeys/dto/passkey.response.js';
import { SessionResponse } from '../../sessions/dto/session.response.js';
import { CustomerResponse } from './customer.response.js';
import { publicIdSchema, urlSchema } from '../../http/input/text-schemas.js';

const toIso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A session, active or ended. */
export class ExportedSessionResponse extends SessionResponse {
  @ApiProperty({
    type: [String],
    example: ['pwd'],
    description: 'How the customer has proven their identity',
  })
  amr!: string[];
  @ApiProperty({ format: 'date-time', description: 'Time of the last proof' }) authTime!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time at which the session was revoked',
  })
  revokedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'logout' }) revokedReason!: string | null;

  static override from(session: CustomerSessionRecord): ExportedSessionResponse {
    const { amr, authTime, revokedAt, revokedReason } = session;
    const proof = { amr, authTime: authTime.toISOString() };
    return { ...SessionResponse.from(session), ...proof, revokedAt: toIso(revokedAt), revokedReason };
  }
}

/** A network that a customer has signed in from. */
export class ExportedAddressResponse {
  @ApiProperty({ description: 'Network of the client in CIDR notation', example: '2001:db8::/64' })
  address!: string;

  @ApiProperty({ format: 'date-time' }) lastLoginAt!: string;

  static from({ addressBlock, lastLoginAt }: KnownAddress): ExportedAddressResponse {
    return { address: addressBlock, lastLoginAt: lastLoginAt.toISOString() };
  }
}

/** A link that was emailed to a customer, without the link itself. */
export class ExportedTokenResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: oneTimeTokenKinds }) kind!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: ['live', 'consumed', 'expired', 'voided'] }) state!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) expiresAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) consumedAt!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) voidedAt!: string | null;

  static from(token: TokenRecord): ExportedTokenResponse {
    return {
      id: token.id,
      kind: token.kind,
      email: token.email,
      state: token.state,
      createdAt: token.createdAt.toISOString(),
      expiresAt: token.expiresAt.toISOString(),
      consumedAt: toIso(token.consumedAt),
      voidedAt: toIso(token.voidedAt),
    };
  }
}

/** An email to a customer, without its text. */
export class ExportedMailResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'verify-email' }) kind!: string;
  @ApiProperty({ format: 'email' }) to!: string;
  @ApiProperty({ enum: ['pending', 'sent', 'kept', 'failed', 'dropped'] }) state!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finishedAt!: string | null;

  static from({ id, kind, recipient, state, createdAt, finishedAt }: MailRecord): ExportedMailResponse {
    const times = { createdAt: createdAt.toISOString(), finishedAt: toIso(finishedAt) };
    return { id, kind, to: recipient, state, ...times };
  }
}

/** An attempt to deliver an event about a customer to an endpoint. */
export class ExportedAttemptResponse {
  @ApiProperty(publicIdSchema('attempt')) id!: string;
  @ApiProperty(publicIdSchema('delivery')) deliveryId!: string;
  @ApiProperty(publicIdSchema('event')) eventId!: string;
  @ApiProperty({ example: 'customer.created' }) event!: string;
  @ApiProperty(publicIdSchema('endpoint')) endpointId!: string;
  @ApiProperty(urlSchema) targetUrl!: string;
  @ApiProperty() attempt!: number;
  @ApiProperty({ description: 'HTTP status of the response. 0 if no response was received' })
  httpStatus!: number;
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: String, nullable: true }) error!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;

  static from(attempt: CustomerDeliveryAttempt): ExportedAttemptResponse {
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

/** All data stored about one customer, each list newest first. */
export class CustomerExportResponse {
  @ApiProperty({ format: 'date-time' }) exportedAt!: string;
  @ApiProperty({
    description: 'True if a list was truncated after 10,000 entries, or the events after 10 MiB',
  })
  truncated!: boolean;
  @ApiProperty({ type: CustomerResponse }) customer!: CustomerResponse;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Browser and operating system used to register',
    example: 'Chrome on macOS',
  })
  registrationDevice!: string | null;

  @ApiProperty({ type: FactorsResponse, description: 'Without secrets' }) secondFactors!: FactorsResponse;
  @ApiProperty({ type: [ExportedSessionResponse] }) sessions!: ExportedSessionResponse[];
  @ApiProperty({ type: [ExportedAddressResponse] }) knownAddresses!: ExportedAddressResponse[];
  @ApiProperty({ type: [PasskeyResponse] }) passkeys!: PasskeyResponse[];
  @ApiProperty({ type: [IdentityResponse] }) identities!: IdentityResponse[];
  @ApiProperty({ type: [ExportedTokenResponse] }) oneTimeTokens!: ExportedTokenResponse[];
  @ApiProperty({ type: [ExportedMailResponse] }) mails!: ExportedMailResponse[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Events in the format of webhook bodies',
  })
  events!: unknown[];

  @ApiProperty({ type: [ExportedAttemptResponse] }) webhookAttempts!: ExportedAttemptResponse[];

  /** Creates the export. @param limit maximum number of entries per list; further entries are omitted */
  static from(
    { customer, registrationDevice }: CustomerDetails,
    records: CustomerRecords,
    factors: CustomerFactors,
    limit: number,
    exportedAt: Date,
  ): CustomerExportResponse {
    const { sessions, knownAddresses, passkeys, identities, tokens, mails, events, attempts } = records;
    const takeNewest = <In, Out>(list: In[], convert: (entry: In) => Out): Out[] =>
      list.slice(0, limit).map(convert);
    return {
      exportedAt: exportedAt.toISOString(),
      truncated: Object.values(records).some((list: unknown[]) => list.length > limit || list.includes(null)),
      customer: CustomerResponse.from(customer),
      registrationDevice,
      secondFactors: FactorsResponse.from(factors),
      sessions: takeNewest(sessions, (session) => ExportedSessionResponse.from(session)),
      knownAddresses: takeNewest(knownAddresses, (address) => ExportedAddressResponse.from(address)),
      passkeys: takeNewest(passkeys, (passkey) => PasskeyResponse.from(passkey)),
      identities: takeNewest(identities, (identity) => IdentityResponse.from(identity)),
      oneTimeTokens: takeNewest(tokens, (token) => ExportedTokenResponse.from(token)),
      mails: takeNewest(mails, (mail) => ExportedMailResponse.from(mail)),
      events: takeNewest(
        events.filter((body) => body !== null),
        (body): unknown => JSON.parse(body),
      ),
      webhookAttempts: takeNewest(attempts, (attempt) => ExportedAttemptResponse.from(attempt)),
    };
  }
}
