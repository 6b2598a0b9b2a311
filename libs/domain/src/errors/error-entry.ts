/** One entry of the closed catalogue: what the documentation says about a code. */
export interface ErrorEntry {
  /** HTTP status of every answer with this code. */
  status: number;
  title: string;
  cause: string;
  cure: string;
}
