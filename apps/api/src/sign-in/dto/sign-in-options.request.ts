import { EmailField } from '../../http/input/fields.js';

export class SignInOptionsRequest {
  @EmailField() email!: string;
}
