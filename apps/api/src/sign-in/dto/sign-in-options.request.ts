import { EmailField } from '../../http/fields.js';

export class SignInOptionsRequest {
  @EmailField() email!: string;
}
