import { ApiProperty } from '@nestjs/swagger';
import { sessionResource, type SessionRecord } from '@gatehouse/persistence';
import { maskAddress } from '../../http/client-address.js';

/** A customer's session, as returned to secret keys and in events. */
export class SessionResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Browser and operating system, derived from the user agent',
    example: 'Chrome on macOS',
  })
  device!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Client IP address of the sign-in' }) ip!:
    | string
    | null;
  @ApiProperty({ type: String, nullable: true }) userAgent!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the sign-in or of the last refresh' })
  lastUsedAt!: string;
  @ApiProperty({
    format: 'date-time',
    description: 'Time at which the session expires unless it is refreshed',
  })
  expiresAt!: string;

  static from(session: SessionRecord): SessionResponse {
    return sessionResource(session);
  }
}

/** A session, as returned to its customer. The IP address is masked, so that a stolen token reveals less. */
export class OwnSessionResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Safari on iOS' }) device!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Network of the client IP address of the sign-in',
    example: '203.0.113.0/24',
  })
  ip!: string | null;

  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) lastUsedAt!: string;
  @ApiProperty({ format: 'date-time' }) expiresAt!: string;
  @ApiProperty({ description: 'True for the current session' }) current!: boolean;

  static from(session: SessionRecord, currentId: string): OwnSessionResponse {
    const { id, device, ip, createdAt, lastUsedAt, expiresAt } = SessionResponse.from(session);
    const maskedIp = ip && maskAddress(ip);
    return { id, device, ip: maskedIp, createdAt, lastUsedAt, expiresAt, current: id === currentId };
  }
}
