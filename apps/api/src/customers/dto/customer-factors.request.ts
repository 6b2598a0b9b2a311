import { ReasonField } from './customer.fields.js';

export class RemoveFactorRequest {
  @ReasonField('Why the factor is removed') reason!: string;
}
