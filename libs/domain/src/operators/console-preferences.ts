/** The time zones in which the console shows times: that of the browser, or UTC. */
export const consoleTimeZones = ['local', 'utc'] as const;
export type ConsoleTimeZone = (typeof consoleTimeZones)[number];

/** The numbers of rows that a list of the console can load at a time. */
export const consolePageSizes = [50, 100, 200] as const;
export type ConsolePageSize = (typeof consolePageSizes)[number];

/** The lists of the console whose columns can be chosen and whose views can be saved. */
export const consoleLists = [
  'deliveries',
  'attempts',
  'dead-letters',
  'endpoints',
  'batches',
  'events',
  'customers',
  'organizations',
  'projects',
  'audit',
  'mails',
  'mailbox',
  'operators',
] as const;
export type ConsoleList = (typeof consoleLists)[number];

/** Maximum number of changed columns of a list. */
export const MAX_LIST_COLUMNS = 30;

/** The id of a column that is shown although it is hidden by default, or with "-" the reverse. */
export const columnChangePattern = /^-?[a-z][a-z0-9-]{0,39}$/;

/** The columns of lists that are not shown as by default. */
export type ListColumns = Partial<Record<ConsoleList, string[]>>;

/** How the console shows data to an operator. */
export interface ConsolePreferences {
  timeZone: ConsoleTimeZone;
  pageSize: ConsolePageSize;
  columns: ListColumns;
}

/** The preferences of an operator who has changed none. */
export const defaultPreferences: ConsolePreferences = { timeZone: 'local', pageSize: 50, columns: {} };

/** Changed preferences. null as the columns of a list restores its default columns. */
export type PreferencesPatch = Partial<
  Omit<ConsolePreferences, 'columns'> & { columns: { [List in ConsoleList]?: string[] | null } }
>;

/** Returns true for an object with the columns of lists, or null for the default columns of a list. */
export const isColumnsPatch = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(
    ([list, columns]) =>
      (consoleLists as readonly string[]).includes(list) && (columns === null || isColumns(columns)),
  );

const isColumns = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_LIST_COLUMNS &&
  value.every((id) => typeof id === 'string' && columnChangePattern.test(id)) &&
  new Set(value).size === value.length;

/** Maximum number of saved views of an operator. */
export const MAX_SAVED_VIEWS = 50;

/** The filters, the order and the columns of a list, which an operator has saved under a name. */
export interface SavedView {
  id: string;
  list: ConsoleList;
  name: string;
  /** The query of the URL of the list, without "?". */
  query: string;
}
