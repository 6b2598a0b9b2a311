/** Returns the edits of a form that were made after `sent`, so that input during a save is not lost. */
export const editedSince = <Edits extends object>(sent: Edits, edits: Edits): Edits =>
  Object.fromEntries(
    Object.entries(edits).filter(([field, value]) => value !== sent[field as keyof Edits]),
  ) as Edits;
