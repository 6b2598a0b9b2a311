/** A form's state: the fields that were edited, and the saved fields at the first edit. */
export interface EditState<Fields extends object> {
  edits: Partial<Fields>;
  /** null if there are no edits. */
  base: Fields | null;
}

/** A field that was saved with a different value after the operator had begun to edit the form. */
export interface SavedChange<Fields extends object> {
  field: keyof Fields & string;
  before: unknown;
  saved: unknown;
  /** The value that the operator has entered; undefined if the field was not edited. */
  edited: unknown;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the edits that differ from the saved fields. */
export const changedFields = <Fields extends object>(
  edits: Partial<Fields>,
  saved: Fields,
): Partial<Fields> => pick(edits, (field, value) => !isSame(value, saved[field]));

/** Returns the fields that others have changed since the first edit, or none if the form has no unsaved edits. */
export function savedChanges<Fields extends object>(
  { edits, base }: EditState<Fields>,
  saved: Fields,
): SavedChange<Fields>[] {
  const changed = changedFields(edits, saved);
  if (!base || Object.keys(changed).length === 0) return [];
  return (Object.keys(saved) as (keyof Fields & string)[])
    .filter((field) => !isSame(base[field], saved[field]))
    .map((field) => ({ field, before: base[field], saved: saved[field], edited: changed[field] }));
}

/** Returns the edits that were entered after `sent`, so that input during a save is not lost. */
export const editedSince = <Fields extends object>(
  sent: Partial<Fields>,
  edits: Partial<Fields>,
): Partial<Fields> => pick(edits, (field, value) => value !== sent[field]);

/** Returns the edits without a field. */
export const withoutEdit = <Fields extends object>(
  edits: Partial<Fields>,
  removed: keyof Fields,
): Partial<Fields> => pick(edits, (field) => field !== removed);

const pick = <Fields extends object>(
  fields: Partial<Fields>,
  isPicked: (field: keyof Fields, value: unknown) => boolean,
): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => isPicked(field as keyof Fields, value)),
  ) as Partial<Fields>;
