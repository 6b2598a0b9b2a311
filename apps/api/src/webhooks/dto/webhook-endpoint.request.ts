import { OmitType } from '@nestjs/swagger';
import { eventTypes, isSubscription, isUuid, MAX_CUSTOM_HEADERS } from '@gatehouse/domain';
import type { EndpointStatusFilter } from '@gatehouse/persistence';
import {
  CheckedField,
  OneOfField,
  ProjectIdField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import { NameField } from '../../http/input/name-fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { targetUrlSchema } from '../../http/input/text-schemas.js';
import { SearchTextField } from '../../http/input/search-fields.js';
import { HeadersField } from './webhook-endpoint.fields.js';

const subscriptions = {
  description: `Event types, a pattern such as \`customer.*\` for all types of a resource, custom types such as \`app.order.paid\`, \`app.*\` for all custom types, or \`*\` for all types except \`webhook.*\` and \`login.failed\`. Types: ${Object.keys(eventTypes).join(', ')}`,
  example: ['*'],
  optional: true,
  maxItems: 50,
  isValid: isSubscription,
  message:
    'events must contain known event types (see GET /v1/webhooks/event-types), patterns such as customer.*, custom types such as app.order.paid, app.*, or *',
};

const url = {
  description: 'URL that receives the deliveries as POST requests',
  example: 'http://127.0.0.1:4000/webhooks',
  maxLength: targetUrlSchema.maxLength,
  schema: targetUrlSchema,
};
const name = {
  description: 'Name of the endpoint. Default: the host of its URL',
  example: 'Order service',
};
const description = {
  description: 'Description for your own use',
  optional: true,
  nullable: true,
  maxLength: 500,
};

const headers = `Custom headers sent with every delivery, at most ${MAX_CUSTOM_HEADERS}. Names can be at most 64 characters long and are not case-sensitive. Values can be at most 1024 characters of visible ASCII, are stored encrypted and are never returned. Not allowed: content-*, webhook-*, cookies, user-agent, accept, accept-encoding, and headers that HTTP or a proxy sets.`;

export class CreateEndpointRequest {
  @NameField(name) name?: string | null;
  @TextField(url) url!: string;
  @TextListField(subscriptions) events?: string[];
  @TextField(description) description?: string | null;
  @HeadersField({ description: headers }) headers?: object;

  @CheckedField({
    description: 'Project of the endpoint. Default: the project of the key',
    optional: true,
    isValid: isUuid,
    message: 'project_id must be a UUID',
  })
  project_id?: string;

  @CheckedField({
    description:
      'Organization of the endpoint. Default: the organization of the key, or for a project endpoint the organization of its project',
    optional: true,
    isValid: isUuid,
    message: 'organization_id must be a UUID',
  })
  organization_id?: string;

  @CheckedField({
    description:
      '`organization`: the endpoint receives the events of all projects of the organization. Requires a key with organization access',
    optional: true,
    values: ['project', 'organization'],
    isValid: (text) => text === 'project' || text === 'organization',
    message: 'level must be project or organization',
  })
  level?: 'project' | 'organization';
}

export class UpdateEndpointRequest {
  @NameField({ ...name, description: `${name.description}. Null restores the default` }) name?: string | null;
  @TextField({ ...url, optional: true }) url?: string;
  @TextListField(subscriptions) events?: string[];
  @TextField(description) description?: string | null;

  @HeadersField({
    description: `${headers} A header with the value null is removed. If the field itself is null, all headers are removed.`,
    nullable: true,
  })
  headers?: object | null;
}

export class ListEndpointsQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
}

/** Filters for the endpoint list in the operator API. */
export class SearchEndpointsQuery extends ListEndpointsQuery {
  @OneOfField(
    'Only endpoints with this status. `failing`: enabled, and all attempts have failed for an hour or longer. `disabled_failing`: disabled because all attempts had failed',
    ['enabled', 'disabled', 'failing', 'disabled_failing'],
  )
  status?: EndpointStatusFilter;

  @SearchTextField('Id of an endpoint, or part of its name or URL') q?: string;
}

export class CountEndpointsQuery extends OmitType(SearchEndpointsQuery, ['limit', 'cursor'] as const) {}
