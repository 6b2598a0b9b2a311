/** A header as it is typed. `kept` has a value already, which nobody can see: null until it is replaced. */
export interface HeaderRow {
  key: number;
  name: string;
  value: string | null;
  isStored: boolean;
}

/** An endpoint's headers, of which only the names are known. */
export const toRows = (headers: Record<string, string>): HeaderRow[] =>
  Object.keys(headers).map((name, key) => ({ key, name, value: null, isStored: true }));

/**
 * What the API is sent for these rows: values that are new, and null for what is gone (RFC 7396). Undefined: nothing
 * changed.
 */
export function headersPatch(
  rows: HeaderRow[],
  before: Record<string, string>,
): Record<string, string | null> | undefined {
  const gone = Object.keys(before).filter((name) => !rows.some((row) => row.isStored && row.name === name));
  const changed = rows.filter(({ name, value }) => value !== null && name.trim() !== '');
  const patch = [
    ...gone.map((name) => [name, null] as const),
    ...changed.map(({ name, value }) => [name.trim().toLowerCase(), value] as const),
  ];
  return patch.length > 0 ? Object.fromEntries(patch) : undefined;
}
