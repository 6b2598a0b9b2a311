import { OmitType } from '@nestjs/swagger';
import { eventTypes, isSubscription, isUuid, MAX_CUSTOM_HEADERS } from '#domain';
import {
  CheckedField,
  HeadersField,
  OneOfField,
  ProjectIdField,
  TextField,
  TextListField,
} from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { SearchTextField } from '../../http/search-fields.js';

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

const headers = `Sent with every delivery: at most ${MAX_CUSTOM_HEADERS}, names of at most 64 characters, case ignored; values of visible ASCII, at most 1024 characters, kept encrypted and never shown again. Refused: content-*, webhook-*, cookies, user-agent, accept, accept-encoding, and what HTTP or a proxy sets.`;

export class CreateEndpointRequest {
  @TextField(url) url!: string;
  @TextListField(subscriptions) events?: string[];
  @TextField(description) description?: string | null;
  @HeadersField({ description: headers }) headers?: object;

  @CheckedField({
    description: "Default: the key's own project",
    optional: true,
    isValid: isUuid,
    message: 'project_id must be a UUID',
  })
  project_id?: string;

  @CheckedField({
    description: "Default: the key's own organization; of a project endpoint that of its project",
    optional: true,
    isValid: isUuid,
    message: 'organization_id must be a UUID',
  })
  organization_id?: string;

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

  @HeadersField({ description: `${headers} null removes a header, or all of them`, nullable: true })
  headers?: object | null;
}

export class ListEndpointsQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
}

/** What operators list endpoints by. */
export class SearchEndpointsQuery extends ListEndpointsQuery {
  @OneOfField('Only those that are', ['enabled', 'disabled']) status?: 'enabled' | 'disabled';
  @SearchTextField('The id of an endpoint, or the beginning of its URL, with http') q?: string;
}

export class CountEndpointsQuery extends OmitType(SearchEndpointsQuery, ['limit', 'cursor'] as const) {}
