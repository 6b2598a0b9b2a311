import {
  customerMethods,
  signInTokenPurposes,
  type AuthenticationMethod,
  type SignInTokenPurpose,
} from '@gatehouse/domain';
import { OneOfField, SecretField, TextSetField } from '../../http/input/fields.js';
import { ReasonField } from '../../customers/dto/customer.fields.js';
import { TimeField } from '../../http/input/time-field.js';

export class CreateSignInTokenRequest {
  @ReasonField('Why the holder of the token signs in as the customer')
  reason!: string;

  @OneOfField(
    '`support`: support and tests sign in as the customer. `migration`: the token moves a session of the customer from another system, and requires `amr` and `authTime`',
    signInTokenPurposes,
    { example: 'migration', schema: { default: 'support' } },
  )
  purpose?: SignInTokenPurpose;

  @TextSetField({
    description:
      'How the customer has proven their identity in the other system (RFC 8176). `pwd`: a password, `email`: a code or link in an email, `fed`: an identity provider, `otp`: a one-time code, `hwk` or `swk`: a passkey that is bound to a device or synchronized, `user`: verification by the passkey, `mfa`: two factors',
    example: ['pwd', 'otp'],
    optional: true,
    maxItems: customerMethods.length,
    values: customerMethods,
    isValid: (text) => (customerMethods as readonly string[]).includes(text),
    message: `$property must contain only ${customerMethods.join(', ')}`,
  })
  amr?: AuthenticationMethod[];

  @TimeField(
    'Time at which the customer proved their identity in the other system. It must be within `refreshAbsoluteTtl`',
  )
  authTime?: string;
}

export class SignInTokenRequest {
  @SecretField({ description: 'Token that a secret key has created', maxLength: 4096 }) token!: string;
}
