import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  operatorRoles,
  operatorSignInMethods,
  operatorStages,
  operatorStatuses,
  type Operator,
} from '@gatehouse/domain';
import type { OperatorSessionRecord } from '@gatehouse/persistence';

const time = { type: String, format: 'date-time' };

/** Organizations to which an operator is limited. */
export const organizationIdsSchema: ApiPropertyOptions = {
  type: [String],
  format: 'uuid',
  nullable: true,
  description:
    'Limits the operator to these organizations and the organizations that they created. Null means no limit',
};

/** Fields that change without an edit by an admin. */
export const operatorVolatileFields = ['lastLoginAt'] as const;

/** An operator, as returned to admins. */
export class OperatorResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ type: String, nullable: true }) name!: string | null;
  @ApiProperty({ enum: operatorRoles }) role!: string;
  @ApiProperty(organizationIdsSchema) organizationIds!: string[] | null;
  @ApiProperty({ enum: operatorStatuses }) status!: string;
  @ApiProperty({ description: 'True if an authenticator or a passkey is enrolled' }) secondFactor!: boolean;
  @ApiProperty({ description: 'True if the operator has signed in with single sign-on' })
  singleSignOn!: boolean;
  @ApiProperty({ ...time, nullable: true }) lastLoginAt!: string | null;
  @ApiProperty(time) createdAt!: string;
  @ApiProperty(time) updatedAt!: string;

  static from(operator: Operator): OperatorResponse {
    return {
      id: operator.id,
      email: operator.email,
      name: operator.name,
      role: operator.role,
      organizationIds: operator.organizationIds,
      status: operator.status,
      secondFactor: operator.secondFactor,
      singleSignOn: operator.singleSignOn,
      lastLoginAt: operator.lastLoginAt?.toISOString() ?? null,
      createdAt: operator.createdAt.toISOString(),
      updatedAt: operator.updatedAt.toISOString(),
    };
  }
}

/** An operator with a new invitation link. */
export class InvitedOperatorResponse extends OperatorResponse {
  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    description:
      'Invitation link, returned only once. Null if a mail server is configured, because the link is then sent by email',
  })
  invitationUrl!: string | null;

  static fromInvited({ operator, url }: { operator: Operator; url: string | null }): InvitedOperatorResponse {
    return { ...OperatorResponse.from(operator), invitationUrl: url };
  }
}

/** An operator's console session, including a session with an incomplete sign-in. */
export class OperatorSessionEntry {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    enum: operatorStages,
    description:
      'State of the sign-in. Any state other than `signed_in` means that only the password was accepted and the second factor is pending',
  })
  state!: string;

  @ApiProperty({ enum: operatorSignInMethods }) method!: string;
  @ApiProperty({ type: String, nullable: true }) ip!: string | null;
  @ApiProperty({ type: String, nullable: true }) userAgent!: string | null;
  @ApiProperty(time) createdAt!: string;
  @ApiProperty({ ...time, description: 'Time of the last use, to the minute' }) lastSeenAt!: string;
  @ApiProperty(time) expiresAt!: string;
  @ApiProperty({ description: 'True for the current session' }) current!: boolean;

  static from(session: OperatorSessionRecord, currentId: string): OperatorSessionEntry {
    return {
      id: session.id,
      state: session.stage,
      method: session.method,
      ip: session.ip,
      userAgent: session.userAgent,
      createdAt: session.createdAt.toISOString(),
      lastSeenAt: session.lastSeenAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
      current: session.id === currentId,
    };
  }
}
