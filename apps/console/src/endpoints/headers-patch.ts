/**
 * A header as entered. A stored header (`isStored`) has a value that cannot be read: `value` is null until it
 * is replaced.
 */
export interface HeaderRow {
  key: number;
  name: string;
  value: string | null;
  isStored: boolean;
}

/** Returns the rows for an endpoint's headers. Only their names are known. */
export const toRows = (headers: Record<string, string>): HeaderRow[] =>
  Object.keys(headers).map((name, key) => ({ key, name, value: null, isStored: true }));

/**
 * Returns the merge patch (RFC 7396) for these rows: new values, and null for removed headers. Returns
 * undefined if nothing changed.
 */
export function headersPatch(
  rows: HeaderRow[],
  before: Record<string, string>,
): Record<string, string | null> | undefined {
  const removed = Object.keys(before).filter(
    (name) => !rows.some((row) => row.isStored && row.name === name),
  );
  const changed = rows.filter(({ name, value }) => value !== null && name.trim() !== '');
  const patch = [
    ...removed.map((name) => [name, null] as const),
    ...changed.map(({ name, value }) => [name.trim().toLowerCase(), value] as const),
  ];
  return patch.length > 0 ? Object.fromEntries(patch) : undefined;
}
