import { ApiProperty } from '@nestjs/swagger';
import {
  operatorFactors,
  operatorRoles,
  operatorSignInMethods,
  operatorStages,
  type Operator,
} from '@gatehouse/domain';
import type { OperatorOidcConfig } from '@gatehouse/platform';
import { PreferencesResponse } from './operator-preferences.response.js';
import { organizationIdsSchema } from './operator.response.js';

const nullableText = { type: String, nullable: true };

/** The operator in the current console session. */
export class CurrentOperatorResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty(nullableText) name!: string | null;
  @ApiProperty({ enum: operatorRoles }) role!: string;
  @ApiProperty(organizationIdsSchema) organizationIds!: string[] | null;

  static from({ id, email, name, role, organizationIds }: Operator): CurrentOperatorResponse {
    return { id, email, name, role, organizationIds };
  }
}

/** Server settings that the console needs after sign-in. */
export class ServerResponse {
  @ApiProperty({ example: '0.2.0' }) version!: string;
  @ApiProperty() production!: boolean;
  @ApiProperty({
    description:
      'True if no mail server is configured, so that emails are captured and can be read in the mailbox',
  })
  mailbox!: boolean;
  @ApiProperty({ description: 'True if a mail server is configured, so that emails are sent' })
  mailConfigured!: boolean;
  @ApiProperty({ description: 'True if the API reference is served at /docs' }) docs!: boolean;
}

/** The OpenID Provider with which operators can sign in. */
export class SingleSignOnResponse {
  @ApiProperty({ example: 'Okta' }) label!: string;
  @ApiProperty({ description: 'True if operators can sign in only with this provider' }) isRequired!: boolean;

  static from({ label, isRequired }: OperatorOidcConfig): SingleSignOnResponse {
    return { label, isRequired };
  }
}

/** State of the current console session. */
export class OperatorSessionResponse {
  @ApiProperty({
    enum: ['signed_out', ...operatorStages],
    description: 'State of the sign-in. Other routes require `signed_in`',
  })
  state!: string;

  @ApiProperty({ type: CurrentOperatorResponse, nullable: true })
  operator!: CurrentOperatorResponse | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Time at which the session expires: 30 minutes after its last use, but no later than 12 hours after the sign-in',
  })
  expiresAt!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Seconds until `expiresAt`' })
  expiresIn!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Seconds until the session ends even if it is used: 12 hours after the sign-in',
  })
  endsIn!: number | null;

  @ApiProperty({
    enum: operatorSignInMethods,
    type: String,
    nullable: true,
    description: 'How the operator has signed in. Null if there is no session',
  })
  method!: string | null;

  @ApiProperty({ description: 'True for five minutes after the operator has reauthenticated' })
  isReauthenticated!: boolean;

  @ApiProperty({ description: 'True if the operator has a second factor, or has signed in with `oidc`' })
  hasSecondFactor!: boolean;

  @ApiProperty({ enum: operatorFactors, isArray: true, description: 'The second factors of the operator' })
  factors!: string[];

  @ApiProperty({ description: 'True if passkeys are possible: the host of PUBLIC_URL is not an IP address' })
  passkeysAvailable!: boolean;

  @ApiProperty({
    description:
      'True if the operator may sign in without an authenticator: outside production, from a loopback address',
  })
  maySkipEnrollment!: boolean;

  @ApiProperty({
    description: 'True if no operator exists yet. `npm run gatehouse -- operator-link` prints a setup link',
  })
  setupRequired!: boolean;

  @ApiProperty({ type: SingleSignOnResponse, nullable: true, description: 'Null if it is not configured' })
  singleSignOn!: SingleSignOnResponse | null;

  @ApiProperty({ type: ServerResponse, nullable: true, description: 'Null until the operator is signed in' })
  server!: ServerResponse | null;

  @ApiProperty({
    type: PreferencesResponse,
    nullable: true,
    description: 'How the console shows data to the operator. Null until the operator is signed in',
  })
  preferences!: PreferencesResponse | null;
}

/** Secret of a new authenticator. */
export class EnrollmentResponse {
  @ApiProperty({
    description: 'Base32 secret, for manual entry',
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  })
  secret!: string;

  @ApiProperty({ description: 'URI with the secret, for a QR code' }) otpauthUri!: string;
}

export class OperatorRecoveryCodesResponse {
  @ApiProperty({
    type: [String],
    description: 'Codes that can each be used once instead of an authenticator code. Returned only once',
    example: ['7k2xm-q4d0v'],
  })
  recoveryCodes!: string[];
}

export class EnrolledResponse extends OperatorRecoveryCodesResponse {
  @ApiProperty({ type: OperatorSessionResponse }) session!: OperatorSessionResponse;
}
