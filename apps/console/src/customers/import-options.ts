/** An import's options, by the names of the API's query parameters. */
export interface ImportOptions {
  emitEvents: boolean;
  update: boolean;
  allowFastHashes: boolean;
}

type Flag = 'true' | 'false';

const names = ['emitEvents', 'update', 'allowFastHashes'] as const;

/**
 * Reads the options from the query of a page or a request. An import must be continued with the options that it was
 * started with.
 */
export const readOptions = (search: URLSearchParams): ImportOptions =>
  toOptions((name) => search.get(name) === 'true');

/** Returns the options as query parameters for the API. */
export const toFlags = (options: ImportOptions): Record<keyof ImportOptions, Flag> =>
  toOptions((name) => (options[name] ? 'true' : 'false'));

/** Returns the URL query of the page for an import. */
export const toSearch = (id: string, options: ImportOptions): Record<string, string> => ({
  id,
  ...Object.fromEntries(names.filter((name) => options[name]).map((name) => [name, 'true'])),
});

const toOptions = <Value>(
  toValue: (name: keyof ImportOptions) => Value,
): Record<keyof ImportOptions, Value> =>
  Object.fromEntries(names.map((name) => [name, toValue(name)])) as Record<keyof ImportOptions, Value>;
