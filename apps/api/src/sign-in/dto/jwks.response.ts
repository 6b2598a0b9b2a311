import { ApiProperty } from '@nestjs/swagger';

/** A public key of access tokens (RFC 7517, RFC 7518). */
export class JwkResponse {
  @ApiProperty({ enum: ['EC'] }) kty!: string;
  @ApiProperty({ enum: ['P-256'] }) crv!: string;
  @ApiProperty({ example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' }) x!: string;
  @ApiProperty({ example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }) y!: string;
  @ApiProperty({
    description: 'Id of the key. Equal to `kid` in the header of a token',
    example: 'fzGdp1jBvy1V',
  })
  kid!: string;
  @ApiProperty({ enum: ['sig'] }) use!: string;
  @ApiProperty({ enum: ['ES256'] }) alg!: string;
}

export class JwksResponse {
  @ApiProperty({ type: [JwkResponse] }) keys!: JwkResponse[];
}
