import { ApiProperty } from '@nestjs/swagger';
import {
  consoleLists,
  consolePageSizes,
  consoleTimeZones,
  type ConsolePreferences,
  type ListColumns,
  type SavedView,
} from '@gatehouse/domain';

/** An operator's preferences for the display of data in the console. */
export class PreferencesResponse {
  @ApiProperty({
    enum: consoleTimeZones,
    description: 'Time zone for all times. `local`: the time zone of the browser',
  })
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

/** The filters, order and columns of a list, saved under a name. */
export class SavedViewResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: consoleLists }) list!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ description: 'Query string of the list URL, without `?`' }) query!: string;

  static from({ id, list, name, query }: SavedView): SavedViewResponse {
    return { id, list, name, query };
  }
}
