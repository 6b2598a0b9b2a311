/** An entry of the error catalog: the documentation of an error code. */
export interface ErrorEntry {
  /** HTTP status of all responses with this code. */
  status: number;
  title: string;
  cause: string;
  /** How the caller can fix it. */
  remedy: string;
}
