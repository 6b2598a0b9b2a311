import { scopes, type Access, type ApiKeyType, type Scope } from '#domain';
import { IntegerField, OneOfField, TextField, TextSetField, TimeField } from '../../http/fields.js';

export class CreateApiKeyRequest {
  @TextField({ description: 'What the key is for', example: 'Order service', minLength: 1, maxLength: 100 })
  name!: string;

  @OneOfField('secret, the default: for servers. publishable: for pages and apps', ['secret', 'publishable'])
  type?: ApiKeyType;

  @OneOfField(
    'How far a secret key reaches: its project, or every project of the organization and of those it created. Default: that of the key that asks',
    ['project', 'organization'],
  )
  access?: Access;

  @TextSetField({
    description:
      'What a secret key may do; customer:read and customer:write when left out, nothing when empty',
    example: ['customer:read'],
    optional: true,
    maxItems: scopes.length,
    values: scopes,
    isValid: (text) => (scopes as readonly string[]).includes(text),
    message: '$property must hold known scopes',
  })
  scopes?: Scope[];

  @TimeField('When the key ends by itself; null: never', {
    nullable: true,
    example: '2099-01-01T00:00:00.000Z',
  })
  expiresAt?: string | null;
}

export class RotateApiKeyRequest {
  static readonly bodyIsOptional = true;

  @IntegerField({
    description: 'How many seconds the old key still lives beside the new one; a day when left out',
    optional: true,
    min: 0,
    max: 604_800,
  })
  overlapSeconds?: number;
}
