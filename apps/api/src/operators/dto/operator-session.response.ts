import { ApiProperty } from '@nestjs/swagger';
import { operatorRoles, operatorStages, type Operator } from '#domain';

const nullableText = { type: String, nullable: true };

/** Whoever holds a session of the console. */
export class CurrentOperatorResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty(nullableText) name!: string | null;
  @ApiProperty({ enum: operatorRoles }) role!: string;

  static from({ id, email, name, role }: Operator): CurrentOperatorResponse {
    return { id, email, name, role };
  }
}

/** What the console has to know about the house before anybody is signed in. */
export class ConsoleHouseResponse {
  @ApiProperty({ example: '0.1.0' }) version!: string;
  @ApiProperty() production!: boolean;
  @ApiProperty({ description: 'Whether mails are kept and can be read, for want of a mail server' })
  mailbox!: boolean;
  @ApiProperty({ description: 'Whether there is no operator yet: the log shows a link' })
  setupRequired!: boolean;
  @ApiProperty({ description: 'Whether mails are sent' }) mailConfigured!: boolean;
  @ApiProperty({ description: 'Whether the API reference is served under /docs' }) docs!: boolean;
}

/** How far the console is signed in. */
export class OperatorSessionResponse {
  @ApiProperty({
    enum: ['signed_out', ...operatorStages],
    description: 'Only signed_in opens other routes',
  })
  state!: string;

  @ApiProperty({ type: CurrentOperatorResponse, nullable: true })
  operator!: CurrentOperatorResponse | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the session ends, unless it is used before: 30 minutes later, 12 hours after signing in at last',
  })
  expiresAt!: string | null;

  @ApiProperty({ type: ConsoleHouseResponse }) house!: ConsoleHouseResponse;
}

/** What an authenticator app has to know. */
export class EnrollmentResponse {
  @ApiProperty({ description: 'Base32, to be typed', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })
  secret!: string;

  @ApiProperty({ description: 'The same for a QR code' }) otpauthUri!: string;
}

export class RecoveryCodesResponse {
  @ApiProperty({
    type: [String],
    description: 'Each takes the place of the authenticator once; shown this once',
    example: ['7k2xm-q4d0v'],
  })
  recoveryCodes!: string[];
}

export class EnrolledResponse extends RecoveryCodesResponse {
  @ApiProperty({ type: OperatorSessionResponse }) session!: OperatorSessionResponse;
}
