import { EmailField } from '../../http/input/fields.js';

export class TestMailRequest {
  @EmailField({ description: 'Recipient of the test email' }) to!: string;
}
