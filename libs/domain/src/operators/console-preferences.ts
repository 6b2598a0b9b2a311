/** The time zones in which the console shows times: the browser's time zone, or UTC. */
export const consoleTimeZones = ['local', 'utc'] as const;
export type ConsoleTimeZone = (typeof consoleTimeZones)[number];

/** The page sizes with which the console can load a list. */
export const consolePageSizes = [50, 100, 200] as const;
export type ConsolePageSize = (typeof consolePageSizes)[number];

/** The console's lists whose columns can be chosen and whose views can be saved. */
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

/** Maximum changed columns per list. */
export const MAX_LIST_COLUMNS = 30;

/** The id for a column that is shown although it is hidden by default, or with "-" the reverse. */
export const columnChangePattern = /^-?[a-z][a-z0-9-]{0,39}$/;

/** The list columns that are not shown as by default. */
export type ListColumns = Partial<Record<ConsoleList, string[]>>;

/** An operator's preferences for the console. */
export interface ConsolePreferences {
  timeZone: ConsoleTimeZone;
  pageSize: ConsolePageSize;
  columns: ListColumns;
}

/** The preferences for an operator who has changed none. */
export const defaultPreferences: ConsolePreferences = { timeZone: 'local', pageSize: 50, columns: {} };

/** Changed preferences. null in place of a list's columns restores its default columns. */
export type PreferencesPatch = Partial<
  Omit<ConsolePreferences, 'columns'> & { columns: { [List in ConsoleList]?: string[] | null } }
>;

/** Returns true for an object with columns by list, in which null stands for a list's default columns. */
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

/** Maximum saved views per operator. */
export const MAX_SAVED_VIEWS = 50;

/** A list's filters, order and columns, which an operator has saved under a name. */
export interface SavedView {
  id: string;
  list: ConsoleList;
  name: string;
  /** The query in the list's URL, without "?". */
  query: string;
}
