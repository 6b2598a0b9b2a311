/** An entry in the error catalog: it documents an error code. */
export interface ErrorEntry {
  /** The HTTP status in all responses with this code. */
  status: number;
  /** The status from the route that refreshes tokens, if it differs. */
  refreshStatus?: 401;
  title: string;
  cause: string;
  /** Action with which the caller can fix the problem. */
  remedy: string;
}
