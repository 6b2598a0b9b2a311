import type { Schemas } from '../http/client';

export type SavedView = Schemas['SavedViewResponse'];

/** The path of the operator's saved views. */
export const VIEWS_PATH = '/operator/v1/session/views';

/** The parameter with the open view's ID. */
export const VIEW_PARAM = 'view';

/** Returns the parameters in a list's URL that open a saved view. */
export const viewParams = ({ id, query }: Pick<SavedView, 'id' | 'query'>): [string, string][] => [
  ...new URLSearchParams(query),
  [VIEW_PARAM, id],
];
