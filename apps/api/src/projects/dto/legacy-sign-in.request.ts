import { CheckedField, TextField } from '../../http/input/fields.js';
import { signingSecret } from '../../webhooks/dto/webhook-endpoint.fields.js';
import { targetUrlSchema } from '../../http/input/text-schemas.js';

/** The system that customers move from at their first sign-in with a password. */
export class LegacySignInRequest {
  @TextField({
    description: 'URL that receives the email address and the password as a signed POST request',
    example: 'https://old.example.com/gatehouse/sign-in',
    optional: true,
    maxLength: targetUrlSchema.maxLength,
    schema: targetUrlSchema,
  })
  url?: string;

  @CheckedField({
    description:
      'Secret that signs the requests: whsec_ and 24 to 64 bytes in base64. It is stored encrypted and never returned. Required if the setting is null',
    optional: true,
    ...signingSecret,
  })
  secret?: string;
}
