import { timelineKinds, type TimelineKind } from '@gatehouse/domain';
import { CheckedField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { TimeField } from '../../http/input/time-field.js';

/** Returns true for a comma-separated list of kinds. */
const isKindList = (text: string): boolean =>
  text.split(',').every((kind) => timelineKinds.includes(kind as TimelineKind));

export class CustomerTimelineQuery extends PageQuery {
  @CheckedField({
    description: `Only entries of these kinds, separated by commas: ${timelineKinds.join(', ')}. \`webhook\` returns the events that were sent to endpoints, regardless of their kind`,
    example: 'sign_in,mail',
    optional: true,
    isValid: isKindList,
    message: `kinds must be a comma-separated list of ${timelineKinds.join(', ')}`,
  })
  kinds?: string;

  @TimeField('Only entries after this time') createdAfter?: string;
  @TimeField('Only entries before this time') createdBefore?: string;
}
