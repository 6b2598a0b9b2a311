import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, ValidateBy } from 'class-validator';
import {
  consoleLists,
  consolePageSizes,
  consoleTimeZones,
  columnChangePattern,
  isColumnsPatch,
  MAX_LIST_COLUMNS,
  type ConsoleList,
  type ConsolePageSize,
  type ConsoleTimeZone,
  type PreferencesPatch,
} from '@gatehouse/domain';
import { describeField, presence } from '../../http/input/field-options.js';
import { OneOfField, TextField } from '../../http/input/fields.js';
import { NameTextField } from '../../http/input/name-fields.js';

const columnChange = { type: 'string', pattern: columnChangePattern.source };

const PageSizeField = (): PropertyDecorator => {
  const options = { description: 'Number of rows that a list loads at a time', optional: true };
  return applyDecorators(
    describeField(options, { type: 'integer', enum: [...consolePageSizes] }),
    presence(options),
    IsIn(consolePageSizes, { message: `$property must be one of ${consolePageSizes.join(', ')}` }),
  );
};

const ListColumnsField = (): PropertyDecorator => {
  const options = {
    description:
      'Columns that differ from the default, by list: `id` shows a column, `-id` hides it. Other lists are unchanged. Null as the value of a list restores its default columns',
    optional: true,
    example: { deliveries: ['-duration'] },
  };
  const columns = {
    type: 'array',
    nullable: true,
    items: columnChange,
    minItems: 1,
    maxItems: MAX_LIST_COLUMNS,
  };
  return applyDecorators(
    describeField(options, {
      type: 'object',
      properties: Object.fromEntries(consoleLists.map((list) => [list, columns])),
      additionalProperties: false,
    }),
    presence(options),
    // Takes the raw value, because class-transformer would rebuild the object.
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
    ValidateBy(
      { name: 'listColumns', validator: { validate: isColumnsPatch } },
      { message: `$property must contain, for each list, null or 1 to ${MAX_LIST_COLUMNS} ids of columns` },
    ),
  );
};

const ViewNameField = (optional: boolean): PropertyDecorator =>
  NameTextField({ description: 'Name that the console shows', optional, minLength: 1, maxLength: 60 });

const ViewQueryField = (optional: boolean): PropertyDecorator =>
  TextField({
    description: 'Filters, order and columns, as the query string of the list URL without `?`',
    example: 'success=false&time=24h',
    optional,
    maxLength: 2000,
  });

export class UpdatePreferencesRequest implements PreferencesPatch {
  @OneOfField('Time zone for all times. `local`: the time zone of the browser', consoleTimeZones)
  timeZone?: ConsoleTimeZone;
  @PageSizeField() pageSize?: ConsolePageSize;
  @ListColumnsField() columns?: PreferencesPatch['columns'];
}

export class CreateSavedViewRequest {
  @OneOfField('List of the console', consoleLists, { optional: false }) list!: ConsoleList;
  @ViewNameField(false) name!: string;
  @ViewQueryField(false) query!: string;
}

export class UpdateSavedViewRequest {
  @ViewNameField(true) name?: string;
  @ViewQueryField(true) query?: string;
}
