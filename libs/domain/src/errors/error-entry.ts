/** An entry of the error catalog: the documentation of an error code. */
export interface ErrorEntry {
  /** HTTP status of all responses with this code. */
  status: number;
  /** Status of the route that refreshes tokens, if it differs. */
  refreshStatus?: 401;
  title: string;
  cause: string;
  /** Action with which the caller can fix the problem. */
  remedy: string;
}
