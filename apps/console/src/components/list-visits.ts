import { createContext, useContext } from 'react';
import type { Location } from 'react-router';

/** The state of a list when the operator left it. */
export interface ListVisit {
  /** The page's path and its query, which contains the filters. */
  to: string;
  /** The page title. */
  label: string;
  /** Identifies the scroll position, see `scrollKey`. */
  key: string;
  /** The ID of the row that the operator opened. */
  rowId: string | null;
}

/** The lists that the operator has visited. They are kept only in memory, because they contain search terms. */
interface ListVisits {
  /** The last visit by page path. */
  byPath: Map<string, ListVisit>;
  /** The list from which a record was opened, by the record's path. */
  byRecord: Map<string, ListVisit>;
}

export const createListVisits = (): ListVisits => ({ byPath: new Map(), byRecord: new Map() });

/** Provided by app/shell.tsx, for one operator. */
export const ListVisitsContext = createContext<ListVisits>(createListVisits());

export const useListVisits = (): ListVisits => useContext(ListVisitsContext);

/** Location state of a list that was reached through a back link. */
export interface ReturnState {
  listKey: string;
}

/**
 * Returns the key for a page's scroll position. A page that was reached through a back link has the key of the
 * previous visit.
 */
export const scrollKey = ({ key, state }: Location): string => (state as ReturnState | null)?.listKey ?? key;
