import { ApiProperty } from '@nestjs/swagger';
import { PasskeyResponse } from '../../passkeys/dto/passkey.response.js';
import type { CustomerFactors, TotpFactor } from '@gatehouse/persistence';

/** A customer's second factor. Events contain the same object. */
export class FactorResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: ['totp'] }) type!: 'totp';
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) lastUsedAt!: string | null;

  static from({ id, createdAt, lastUsedAt }: TotpFactor): FactorResponse {
    return {
      id,
      type: 'totp',
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    };
  }
}

/** A customer's second factors. */
export class FactorsResponse {
  @ApiProperty({ type: [FactorResponse], description: 'Authenticators, newest first' })
  totp!: FactorResponse[];
  @ApiProperty({ type: [PasskeyResponse], description: 'Passkeys, newest first' })
  passkeys!: PasskeyResponse[];
  @ApiProperty({ type: 'integer', description: 'Number of unused recovery codes' }) recoveryCodes!: number;

  static from({ totp, passkeys, recoveryCodes }: CustomerFactors): FactorsResponse {
    return {
      totp: totp.map((factor) => FactorResponse.from(factor)),
      passkeys: passkeys.map((passkey) => PasskeyResponse.from(passkey)),
      recoveryCodes,
    };
  }
}

/** New recovery codes, which are returned only once. */
export class RecoveryCodesResponse {
  @ApiProperty({
    type: [String],
    description: 'Each code replaces a second factor once. The codes cannot be retrieved again',
    example: ['7k2xm-q4d0v-3n8ct'],
  })
  recoveryCodes!: string[];
}

/** A new authenticator's secret. */
export class TotpSecretResponse {
  @ApiProperty({
    description: 'Secret to type into an authenticator app, in base32. Returned only once',
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  })
  secret!: string;
  @ApiProperty({
    description: 'URI for a QR code (`otpauth://`)',
    example: 'otpauth://totp/Shop:ada@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Shop',
  })
  uri!: string;
  @ApiProperty({ description: 'The QR code of the URI, as an SVG document', example: '<svg …>' })
  qrCode!: string;
}
