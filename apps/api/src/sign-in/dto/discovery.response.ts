import { ApiProperty } from '@nestjs/swagger';

/** The members of the discovery document that a token verifier needs. The standard requires all of them. */
export class DiscoveryResponse {
  @ApiProperty({ format: 'uri', example: 'https://auth.example.com', description: '`iss` of access tokens' })
  issuer!: string;
  @ApiProperty({ format: 'uri', example: 'https://auth.example.com/.well-known/jwks.json' })
  jwks_uri!: string;
  @ApiProperty({ type: [String], example: ['token'] }) response_types_supported!: string[];
  @ApiProperty({ type: [String], example: ['public'] }) subject_types_supported!: string[];
  @ApiProperty({
    type: [String],
    example: ['ES256', 'RS256'],
    description: 'Algorithms of access tokens. Each project uses one of them, its `signingAlgorithm`',
  })
  id_token_signing_alg_values_supported!: string[];
}
