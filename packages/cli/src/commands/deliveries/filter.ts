import { Option, type Command } from 'commander';
import { parseNumber, parsePastTime } from '../../options.js';

/** The options that select deliveries. */
export interface FilterOptions {
  endpoint?: string;
  event?: string;
  eventId?: string;
  statusClass?: '2xx' | '3xx' | '4xx' | '5xx' | 'other' | 'none';
  httpStatus?: number;
  createdAfter?: string;
  createdBefore?: string;
}

/** Adds the options that select deliveries. @param states the states that can be selected */
export const addFilterOptions = (command: Command, states: string[]): Command =>
  command
    .option('--endpoint <id>', 'only this endpoint')
    .option('--event <type>', 'only this event type; app.* includes all custom types')
    .option('--event-id <id>', 'only this event')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(states))
    .addOption(
      new Option(
        '--status-class <class>',
        'only this class of HTTP status; other: below 200 or above 599; none: no response',
      ).choices(['2xx', '3xx', '4xx', '5xx', 'other', 'none']),
    )
    .option('--http-status <status>', 'only this HTTP status; 0: no response', parseNumber(0, 999))
    .option(
      '--created-after <time>',
      'only deliveries created after this time; accepts a duration such as 1h',
      parsePastTime,
    )
    .option('--created-before <time>', 'only deliveries created before this time', parsePastTime);

/** Returns the options under their names in the API. */
export const toFilter = (options: FilterOptions, projectId: string | undefined) => ({
  ...(projectId && { project_id: projectId }),
  ...(options.endpoint && { endpoint_id: options.endpoint }),
  ...(options.event && { event: options.event }),
  ...(options.eventId && { event_id: options.eventId }),
  ...(options.statusClass && { status_class: options.statusClass }),
  ...(options.httpStatus !== undefined && { http_status: options.httpStatus }),
  ...(options.createdAfter && { created_after: options.createdAfter }),
  ...(options.createdBefore && { created_before: options.createdBefore }),
});
