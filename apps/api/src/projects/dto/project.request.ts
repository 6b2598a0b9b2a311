import { OmitType } from '@nestjs/swagger';
import { environments, isSlug, isUuid, type Environment } from '@gatehouse/domain';
import { CheckedField, ObjectField, OneOfField } from '../../http/input/fields.js';
import { NameTextField } from '../../http/input/name-fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { SearchTextField } from '../../http/input/search-fields.js';
import { SettingsRequest } from './settings.request.js';

const name = { description: 'Display name', minLength: 1, maxLength: 100 };

export class CreateProjectRequest {
  @NameTextField({ ...name, example: 'Difference Engine' }) name!: string;

  @CheckedField({
    description:
      'Short name, unique in the organization: 3 to 48 characters of a-z, 0-9 and -. Default: derived from the name',
    example: 'difference-engine',
    optional: true,
    isValid: isSlug,
    message: '$property must be 3 to 48 characters of a-z, 0-9 and -',
  })
  slug?: string;

  @OneOfField('Environment of the project. Default: development', environments) environment?: Environment;

  @CheckedField({
    description: 'Organization of the project. Default: the organization of the key',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;

  @ObjectField({
    description: 'Settings that differ from the defaults',
    optional: true,
    type: SettingsRequest,
  })
  settings?: SettingsRequest;
}

export class ListProjectsQuery extends PageQuery {
  @CheckedField({
    description: 'Only projects in this organization',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;

  @OneOfField('Only projects in this environment', environments) environment?: Environment;
  @OneOfField('`true`: only archived projects. `false`: only projects that are not archived', [
    'true',
    'false',
  ])
  archived?: 'true' | 'false';
}

/** Filters for the list of projects in the operator API. */
export class SearchProjectsQuery extends ListProjectsQuery {
  @SearchTextField('Id of a project, or part of its name or slug') q?: string;
}

export class CountProjectsQuery extends OmitType(SearchProjectsQuery, ['limit', 'cursor'] as const) {}

export class UpdateProjectRequest {
  @NameTextField({ ...name, optional: true })
  name?: string;

  @ObjectField({ description: 'Settings to change', optional: true, type: SettingsRequest })
  settings?: SettingsRequest;
}
