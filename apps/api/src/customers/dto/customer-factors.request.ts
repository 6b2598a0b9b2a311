import { ReasonField } from '../../http/reason-field.js';

export class RemoveFactorRequest {
  @ReasonField('Why the factor is removed') reason!: string;
}
