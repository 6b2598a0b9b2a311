import { scopes, secretKeyLimit, type Access, type ApiKeyType, type Scope } from '@gatehouse/domain';
import { apiKeyStates, type ApiKeyState } from '@gatehouse/persistence';
import { IntegerField, OneOfField, TextSetField } from '../../http/input/fields.js';
import { NameTextField } from '../../http/input/name-fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { TimeField } from '../../http/input/time-field.js';

const higherLimits = `With a secret key, the maximum is ${secretKeyLimit.quota}, or the key's own limit if that is higher. Operators can set any value`;
const rateLimit = { optional: true, nullable: true, min: secretKeyLimit.min, max: secretKeyLimit.max };

export class ListApiKeysQuery extends PageQuery {
  @OneOfField('Only keys in this state', apiKeyStates) state?: ApiKeyState;
}

export class CreateApiKeyRequest {
  @NameTextField({ description: 'Name of the key', example: 'Order service', minLength: 1, maxLength: 100 })
  name!: string;

  @OneOfField('`secret` (default): for servers. `publishable`: safe to expose in browsers and apps', [
    'secret',
    'publishable',
  ])
  type?: ApiKeyType;

  @OneOfField(
    '`project`: a secret key can access its own project. `organization`: it can access all projects of its organization and of the organizations that it created. Default: `project`',
    ['project', 'organization'],
  )
  access?: Access;

  @TextSetField({
    description:
      'Scopes of a secret key. Default: `customer:read` and `customer:write`. An empty list grants no scopes. A publishable key has none',
    example: ['customer:read'],
    optional: true,
    maxItems: scopes.length,
    values: scopes,
    isValid: (text) => (scopes as readonly string[]).includes(text),
    message: `$property must contain only ${scopes.join(', ')}`,
  })
  scopes?: Scope[];

  @IntegerField({
    ...rateLimit,
    description: `Requests per second that a secret key may send. Null means ${secretKeyLimit.quota}. ${higherLimits}`,
  })
  rateLimit?: number | null;

  @TimeField('Time at which the key expires. Null means never', {
    nullable: true,
    example: '2099-01-01T00:00:00.000Z',
  })
  expiresAt?: string | null;
}

export class RotateApiKeyRequest {
  static readonly bodyIsOptional = true;

  @IntegerField({
    description:
      'How long the previous key stays valid after the rotation, in seconds. Default: 86400 (one day)',
    optional: true,
    min: 0,
    max: 604_800,
  })
  overlapSeconds?: number;

  @IntegerField({
    ...rateLimit,
    description: `Requests per second that the new key may send. Null means ${secretKeyLimit.quota}. Default: the limit of the previous key. ${higherLimits}`,
  })
  rateLimit?: number | null;
}
