/** What of the edits of a form is newer than those that were sent: whoever goes on typing while they are saved keeps it. */
export const editedSince = <Edits extends object>(sent: Edits, edits: Edits): Edits =>
  Object.fromEntries(
    Object.entries(edits).filter(([field, value]) => value !== sent[field as keyof Edits]),
  ) as Edits;
