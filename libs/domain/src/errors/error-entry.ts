/** An entry of the error catalogue: the documentation of a code. */
export interface ErrorEntry {
  /** HTTP status of all responses with this code. */
  status: number;
  title: string;
  cause: string;
  /** How the caller can fix it. */
  remedy: string;
}
