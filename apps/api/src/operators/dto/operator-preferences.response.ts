import { ApiProperty } from '@nestjs/swagger';
import {
  consoleLists,
  consolePageSizes,
  consoleTimeZones,
  type ConsolePreferences,
  type ListColumns,
  type SavedView,
} from '@gatehouse/domain';

/** Preferences for the data that the console shows to the operator. */
export class PreferencesResponse {
  @ApiProperty({ enum: consoleTimeZones, description: 'Time zone of all times: that of the browser, or UTC' })
  timeZone!: string;

  @ApiProperty({
    type: 'integer',
    enum: consolePageSizes,
    description: 'Number of rows that a list loads at a time',
  })
  pageSize!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Columns that differ from the default, by list: `id` shows a column, `-id` hides it',
  })
  columns!: ListColumns;

  static from({ timeZone, pageSize, columns }: ConsolePreferences): PreferencesResponse {
    return { timeZone, pageSize, columns };
  }
}

/** A list's filters, order and columns, saved under a name. */
export class SavedViewResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: consoleLists }) list!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ description: 'The query of the URL of the list, without `?`' }) query!: string;

  static from({ id, list, name, query }: SavedView): SavedViewResponse {
    return { id, list, name, query };
  }
}
