import { useState } from 'react';
import {
  changedFields,
  editedSince,
  savedChanges,
  withoutEdit,
  type EditState,
  type SavedChange,
} from './edits';

/** A form's state: edits on top of the saved fields. */
export interface Edits<Fields extends object> {
  /** The saved fields with the edits applied. */
  values: Fields;
  /** The edits that differ from the saved fields. */
  changed: Partial<Fields>;
  /** The fields that others have saved since the first edit. */
  savedChanges: SavedChange<Fields>[];
  /** True if saving would overwrite a value that others have saved since the first edit. */
  isOverwrite: boolean;
  set: (changes: Partial<Fields>) => void;
  /** Replaces a field's edit with its saved value. */
  acceptSaved: (field: keyof Fields) => void;
  discard: () => void;
  /** Removes the edits that have been saved. @param saved the fields after the save */
  settle: (saved: Fields) => void;
}

/**
 * Returns the state of a form for a record that other operators can change at the same time. Fields without edits show
 * the current saved values.
 */
export function useEdits<Fields extends object>(saved: Fields): Edits<Fields> {
  const [state, setState] = useState<EditState<Fields>>({ edits: {}, base: null });
  const { edits } = state;
  const changes = savedChanges(state, saved);
  const update = (next: Partial<Fields>, base: Fields): void =>
    setState({ edits: next, base: Object.keys(next).length > 0 ? base : null });
  return {
    values: { ...saved, ...edits },
    changed: changedFields(edits, saved),
    savedChanges: changes,
    isOverwrite: changes.some(({ edited }) => edited !== undefined),
    set: (changed) =>
      setState((latest) => ({ base: latest.base ?? saved, edits: { ...latest.edits, ...changed } })),
    acceptSaved: (field) => update(withoutEdit(edits, field), state.base ?? saved),
    discard: () => setState({ edits: {}, base: null }),
    settle: (current) =>
      setState((latest) => {
        const later = editedSince(edits, latest.edits);
        return { edits: later, base: Object.keys(later).length > 0 ? current : null };
      }),
  };
}
