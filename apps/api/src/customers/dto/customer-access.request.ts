import { ReasonField } from './customer.fields.js';

export class CustomerAccessRequest {
  static readonly bodyIsOptional = true;

  @ReasonField('Why the customer is disabled or enabled', { optional: true }) reason?: string;
}
