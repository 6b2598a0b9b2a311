/** An error code's entry in the error catalog. */
export interface ErrorEntry {
  /** The HTTP status of all responses with this code. */
  status: number;
  /** The status that the token refresh route returns instead. */
  refreshStatus?: 401;
  title: string;
  cause: string;
  /** What the caller can do to fix the problem. */
  remedy: string;
}
