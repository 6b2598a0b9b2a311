import { eventTypes, isSubscription, isUuid } from '#domain';
import { CheckedField, ProjectIdField, TextField, TextListField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';

const subscriptions = {
  description: `Event types, \`noun.*\`, or \`*\` for all but those that must be named. Types: ${Object.keys(eventTypes).join(', ')}`,
  example: ['*'],
  optional: true,
  maxItems: 50,
  isValid: isSubscription,
  message: 'events must hold known event types, noun.* or *',
};

const url = {
  description: 'Where deliveries are POSTed',
  example: 'http://127.0.0.1:4000/webhooks',
  maxLength: 2048,
};
const description = { description: 'A note of your own', optional: true, nullable: true, maxLength: 500 };

export class CreateEndpointRequest {
  @TextField(url) url!: string;
  @TextListField(subscriptions) events?: string[];
  @TextField(description) description?: string | null;

  @CheckedField({
    description: "Default: the key's own project",
    optional: true,
    isValid: isUuid,
    message: 'project_id must be a UUID',
  })
  project_id?: string;

  @CheckedField({
    description: '`organization`: events of all its projects; organization keys only',
    optional: true,
    values: ['project', 'organization'],
    isValid: (text) => text === 'project' || text === 'organization',
    message: 'level must be project or organization',
  })
  level?: 'project' | 'organization';
}

export class UpdateEndpointRequest {
  @TextField({ ...url, optional: true }) url?: string;
  @TextListField(subscriptions) events?: string[];
  @TextField(description) description?: string | null;
}

export class ListEndpointsQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
}
