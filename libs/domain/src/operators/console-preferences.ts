/** The time zones in which the console shows times: the browser's time zone, or UTC. */
export const consoleTimeZones = ['local', 'utc'] as const;
export type ConsoleTimeZone = (typeof consoleTimeZones)[number];

/** List page sizes in the console. */
export const consolePageSizes = [50, 100, 200] as const;
export type ConsolePageSize = (typeof consolePageSizes)[number];

/** The lists in the console that have selectable columns and saved views. */
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

/** Maximum number of columns per list that differ from the default. */
export const MAX_LIST_COLUMNS = 30;

/** The id of a column that is hidden by default and now shown, or "-" and the id of a column that is now hidden. */
export const columnChangePattern = /^-?[a-z][a-z0-9-]{0,39}$/;

/** The columns, by list, whose visibility differs from the default. */
export type ListColumns = Partial<Record<ConsoleList, string[]>>;

/** An operator's preferences for the console. */
export interface ConsolePreferences {
  timeZone: ConsoleTimeZone;
  pageSize: ConsolePageSize;
  columns: ListColumns;
}

/** The preferences of an operator who has not changed any. */
export const defaultPreferences: ConsolePreferences = { timeZone: 'local', pageSize: 50, columns: {} };

/** A change to the preferences. null for a list restores its default columns. */
export type PreferencesPatch = Partial<
  Omit<ConsolePreferences, 'columns'> & { columns: { [List in ConsoleList]?: string[] | null } }
>;

/** Returns whether a value is a valid `columns` member of a patch. */
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

/** The filters, order and columns of a list that an operator has saved under a name. */
export interface SavedView {
  id: string;
  list: ConsoleList;
  name: string;
  /** The query of the list's URL, without "?". */
  query: string;
}
