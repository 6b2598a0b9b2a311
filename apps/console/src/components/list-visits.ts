import { createContext, useContext } from 'react';
import type { Location } from 'react-router';

/** The state in which the operator left a list. */
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

/** The lists that the operator has visited. They stay in memory only, because they contain search texts. */
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

/** The location state for a list to which a back link has returned. */
export interface ReturnState {
  listKey: string;
}

/**
 * Returns the key under which a page's scroll position is stored. A page to which a back link returns has the previous
 * visit's key.
 */
export const scrollKey = ({ key, state }: Location): string => (state as ReturnState | null)?.listKey ?? key;
