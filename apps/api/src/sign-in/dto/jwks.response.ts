import { ApiProperty } from '@nestjs/swagger';
import { signingAlgorithms } from '@gatehouse/domain';

const ecKeyField = { required: false, description: 'Only in EC keys' };
const rsaKeyField = { required: false, description: 'Only in RSA keys' };

/** A public key for access tokens (RFC 7517, RFC 7518). */
export class JwkResponse {
  @ApiProperty({ enum: ['EC', 'RSA'] }) kty!: string;
  @ApiProperty({ ...ecKeyField, enum: ['P-256'], example: 'P-256' }) crv?: string;
  @ApiProperty({ ...ecKeyField, example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' }) x?: string;
  @ApiProperty({ ...ecKeyField, example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }) y?: string;
  @ApiProperty(rsaKeyField) n?: string;
  @ApiProperty(rsaKeyField) e?: string;
  @ApiProperty({
    description: 'Id of the key. Equal to `kid` in the header of a token',
    example: 'fzGdp1jBvy1V',
  })
  kid!: string;
  @ApiProperty({ enum: ['sig'] }) use!: string;
  @ApiProperty({ enum: signingAlgorithms }) alg!: string;
}

export class JwksResponse {
  @ApiProperty({ type: [JwkResponse] }) keys!: JwkResponse[];
}
