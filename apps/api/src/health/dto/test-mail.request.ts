import { EmailField } from '../../http/fields.js';

export class TestMailRequest {
  @EmailField({ description: 'Whom the mail goes to' }) to!: string;
}
