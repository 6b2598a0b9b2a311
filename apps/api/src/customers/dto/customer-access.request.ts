import { ReasonField } from '../../http/reason-field.js';

export class CustomerAccessRequest {
  static readonly bodyIsOptional = true;

  @ReasonField('Why the customer is disabled or enabled', { optional: true }) reason?: string;
}
