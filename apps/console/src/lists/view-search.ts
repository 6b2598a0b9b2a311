import type { Schemas } from '../http/client';

export type SavedView = Schemas['SavedViewResponse'];

/** The path of the saved views of the operator. */
export const VIEWS_PATH = '/operator/v1/session/views';

/** The parameter with the ID of the open view. */
export const VIEW_PARAM = 'view';

/** Returns the parameters of the URL of a list that open a saved view. */
export const viewParams = ({ id, query }: Pick<SavedView, 'id' | 'query'>): [string, string][] => [
  ...new URLSearchParams(query),
  [VIEW_PARAM, id],
];
