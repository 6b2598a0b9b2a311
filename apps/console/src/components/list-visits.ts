import { createContext, useContext } from 'react';
import type { Location } from 'react-router';

/** How the operator left a list. */
export interface ListVisit {
  /** The path of the page and its query, which contains the filters. */
  to: string;
  /** The title of the page. */
  label: string;
  /** Identifies the scroll position, see `scrollKey`. */
  key: string;
  /** The ID of the row that the operator opened. */
  rowId: string | null;
}

/** The lists that the operator has visited. They stay in memory only, because they contain search texts. */
interface ListVisits {
  /** The last visit by the path of the page. */
  byPath: Map<string, ListVisit>;
  /** The list from which a record was opened, by the path of the record. */
  byRecord: Map<string, ListVisit>;
}

export const createListVisits = (): ListVisits => ({ byPath: new Map(), byRecord: new Map() });

/** Provided by app/shell.tsx, for one operator. */
export const ListVisitsContext = createContext<ListVisits>(createListVisits());

export const useListVisits = (): ListVisits => useContext(ListVisitsContext);

/** The state of the location of a list to which a back link has returned. */
export interface ReturnState {
  listKey: string;
}

/**
 * Returns the key under which the scroll position of a page is stored. A page to which a back link returns has
 * the key of the visit before.
 */
export const scrollKey = ({ key, state }: Location): string => (state as ReturnState | null)?.listKey ?? key;
