import { ApiProperty } from '@nestjs/swagger';
import { operatorRoles, operatorStages, operatorStatuses, type Operator } from '#domain';
import type { OperatorSessionRecord } from '#persistence';

const time = { type: String, format: 'date-time' };

/** One of the staff. */
export class OperatorResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ type: String, nullable: true }) name!: string | null;
  @ApiProperty({ enum: operatorRoles }) role!: string;
  @ApiProperty({ enum: operatorStatuses }) status!: string;
  @ApiProperty({ description: 'Whether an authenticator is enrolled' }) secondFactor!: boolean;
  @ApiProperty({ ...time, nullable: true }) lastLoginAt!: string | null;
  @ApiProperty(time) createdAt!: string;
  @ApiProperty(time) updatedAt!: string;

  static from(operator: Operator): OperatorResponse {
    return {
      id: operator.id,
      email: operator.email,
      name: operator.name,
      role: operator.role,
      status: operator.status,
      secondFactor: operator.secondFactor,
      lastLoginAt: operator.lastLoginAt?.toISOString() ?? null,
      createdAt: operator.createdAt.toISOString(),
      updatedAt: operator.updatedAt.toISOString(),
    };
  }
}

/** An operator with a new link to choose a password by. */
export class InvitedOperatorResponse extends OperatorResponse {
  @ApiProperty({ format: 'uri', description: 'Shown this once; also mailed where mails are sent' })
  invitationUrl!: string;

  static of({ operator, url }: { operator: Operator; url: string }): InvitedOperatorResponse {
    return { ...OperatorResponse.from(operator), invitationUrl: url };
  }
}

/** One sign-in of an operator, also one that is not finished. */
export class OperatorSessionEntry {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    enum: operatorStages,
    description: 'Anything but signed_in has shown a password alone, and waits for the second factor',
  })
  state!: string;

  @ApiProperty({ type: String, nullable: true }) ip!: string | null;
  @ApiProperty({ type: String, nullable: true }) userAgent!: string | null;
  @ApiProperty(time) createdAt!: string;
  @ApiProperty({ ...time, description: 'To the minute' }) lastSeenAt!: string;
  @ApiProperty(time) expiresAt!: string;
  @ApiProperty({ description: 'Whether it is the session that asks' }) current!: boolean;

  static from(session: OperatorSessionRecord, currentId: string): OperatorSessionEntry {
    return {
      id: session.id,
      state: session.stage,
      ip: session.ip,
      userAgent: session.userAgent,
      createdAt: session.createdAt.toISOString(),
      lastSeenAt: session.lastSeenAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
      current: session.id === currentId,
    };
  }
}
