import { ReasonField } from '../../http/reason-field.js';

export class RemoveIdentityRequest {
  @ReasonField('Why the identity is removed') reason!: string;
}
