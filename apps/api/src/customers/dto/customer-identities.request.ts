import { ReasonField } from './customer.fields.js';

export class RemoveIdentityRequest {
  @ReasonField('Why the identity is removed') reason!: string;
}
