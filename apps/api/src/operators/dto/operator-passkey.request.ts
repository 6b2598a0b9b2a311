import { PASSKEY_NAME_LENGTH } from '@gatehouse/domain';
import { TextField } from '../../http/fields.js';
import {
  PasskeyAssertionField,
  PasskeyRegistrationField,
  type PasskeyAssertionRequest,
  type PasskeyRegistrationRequest,
} from '../../http/passkey-response-fields.js';

export class OperatorPasskeyRequest {
  @PasskeyAssertionField() response!: PasskeyAssertionRequest;
}

export class AddOperatorPasskeyRequest {
  @TextField({
    description: 'Name of the passkey',
    example: 'Firefox on macOS',
    minLength: 1,
    maxLength: PASSKEY_NAME_LENGTH,
  })
  name!: string;

  @PasskeyRegistrationField() response!: PasskeyRegistrationRequest;
}
