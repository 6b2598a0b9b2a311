import type { PasskeyAssertion, PasskeyRegistration } from '@gatehouse/platform';
import { InputPipe } from '../../http/input/input.pipe.js';
import {
  PasskeyAssertionField,
  PasskeyRegistrationField,
  type PasskeyAssertionRequest,
  type PasskeyRegistrationRequest,
} from '../../passkeys/dto/passkey-response.fields.js';
import { passkeyNotAcceptedError } from '../../passkeys/passkey-ceremonies.service.js';
import type { SignInForm } from './sign-in-requests.service.js';

class AssertionForm {
  @PasskeyAssertionField() response!: PasskeyAssertionRequest;
}

class RegistrationForm {
  @PasskeyRegistrationField() response!: PasskeyRegistrationRequest;
}

/**
 * Returns the passkey assertion that the script has added to a form.
 * @throws GatehouseError `passkey_not_accepted`
 */
export const readAssertion = (form: SignInForm): PasskeyAssertion => read(form, AssertionForm).response;

/**
 * Returns the passkey registration that the script has added to a form.
 * @throws GatehouseError `passkey_not_accepted`
 */
export const readRegistration = (form: SignInForm): PasskeyRegistration =>
  read(form, RegistrationForm).response;

function read<Form extends object>({ response = '' }: SignInForm, metatype: new () => Form): Form {
  try {
    const body = { response: JSON.parse(response) as unknown };
    return new InputPipe().transform(body, { type: 'body', metatype }) as Form;
  } catch (error) {
    throw passkeyNotAcceptedError(error);
  }
}
