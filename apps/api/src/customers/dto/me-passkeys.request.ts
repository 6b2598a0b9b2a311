import { PASSKEY_NAME_LENGTH } from '@gatehouse/domain';
import { NameTextField } from '../../http/input/name-fields.js';
import {
  PasskeyRegistrationField,
  type PasskeyRegistrationRequest,
} from '../../passkeys/dto/passkey-response.fields.js';

const name = { minLength: 1, maxLength: PASSKEY_NAME_LENGTH, example: 'Work laptop' };

export class AddPasskeyRequest {
  @NameTextField({
    ...name,
    description: 'Name of the passkey. Default: the browser and the operating system',
    optional: true,
  })
  name?: string;

  @PasskeyRegistrationField() response!: PasskeyRegistrationRequest;
}

export class RenamePasskeyRequest {
  @NameTextField({ ...name, description: 'New name of the passkey' }) name!: string;
}
