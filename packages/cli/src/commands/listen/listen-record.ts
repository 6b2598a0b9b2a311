/** A report from `gatehouse listen`, printed as one line with `--json`. Later versions may add kinds and members. */
export type ListenRecord =
  | {
      kind: 'ready';
      target: string;
      project_id: string;
      /** The secret with which the receiver verifies events; null if the user passed it. */
      signing_secret: string | null;
      /** The file or the variable that contains the secret. */
      signing_secret_source: string;
    }
  | {
      kind: 'response';
      /** Time of the response (ISO 8601). */
      at: string;
      event_id: string;
      event_type: string;
      /** 0 if there was no response. */
      status: number;
      /** Null for a 2xx status. */
      error: string | null;
      message: string | null;
      duration_ms: number;
      response_body: string;
      is_redelivery: boolean;
    }
  | { kind: 'skipped'; event_id: string; event_type: string; reason: 'erased' }
  | { kind: 'unreachable'; target: string; message: string; event_id: string; event_type: string }
  | { kind: 'reachable'; target: string }
  | { kind: 'gatehouse_unavailable'; message: string }
  | { kind: 'gatehouse_available' }
  | { kind: 'nothing_to_redeliver' }
  | {
      kind: 'summary';
      delivered: number;
      /** Ids of the events whose last request failed. */
      failed: string[];
      skipped: number;
      /** The position after the last event that was sent or skipped; null before the first. */
      cursor: string | null;
      /** The filters that belong to the cursor. */
      since: string | null;
      types: string | null;
      /** Number of events after `cursor` that were already sent. */
      repeated: number;
    };

export type Report = (record: ListenRecord) => Promise<void>;
