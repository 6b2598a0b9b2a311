import { PASSKEY_NAME_LENGTH } from '@gatehouse/domain';
import { NameTextField } from '../../http/input/name-fields.js';
import {
  PasskeyAssertionField,
  PasskeyRegistrationField,
  type PasskeyAssertionRequest,
  type PasskeyRegistrationRequest,
} from '../../passkeys/dto/passkey-response.fields.js';

export class OperatorPasskeyRequest {
  @PasskeyAssertionField() response!: PasskeyAssertionRequest;
}

const name = { minLength: 1, maxLength: PASSKEY_NAME_LENGTH, example: 'Firefox on macOS' };

export class AddOperatorPasskeyRequest {
  @NameTextField({ ...name, description: 'Name of the passkey' }) name!: string;

  @PasskeyRegistrationField() response!: PasskeyRegistrationRequest;
}

export class RenameOperatorPasskeyRequest {
  @NameTextField({ ...name, description: 'New name of the passkey' }) name!: string;
}
