// Raw SQL: an upsert with a delete, and times from the database clock.
import type { ProcessProblemKind } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { statement, text, textOf, timestamptz, type RowOf } from '../sql/statements.js';

/** A problem that a process has found. */
export interface ProcessProblem {
  kind: ProcessProblemKind;
  /** Problem details, for operators. */
  detail: string;
}

/** A process that reports problems. */
export interface ProblemSource {
  /** Identifies the process's run. */
  id: string;
  service: 'api' | 'webhook-worker';
  host: string;
}

/** SQL for the condition that a process has recently confirmed its problem, which it does once a minute. */
export const isProblemCurrent = `seen_at > now() - interval '3 minutes'`;

const recordProblems = statement(
  {},
  `WITH removed AS (
     DELETE FROM process_problems
     WHERE (process_id = $1 AND kind <> ALL($4::text[])) OR seen_at < now() - interval '1 day'
   )
   INSERT INTO process_problems (process_id, service, host, kind, detail)
   SELECT $1, $2, $3, kind, detail FROM unnest($4::text[], $5::text[]) AS problem (kind, detail)
   ON CONFLICT (process_id, kind) DO UPDATE SET detail = excluded.detail, seen_at = now()`,
);

const problemRow = {
  kind: textOf<ProcessProblemKind>(),
  service: textOf<ProblemSource['service']>(),
  host: text,
  detail: text,
  since: timestamptz,
};

export type ProcessProblemRecord = RowOf<typeof problemRow>;

const listProblems = statement(
  problemRow,
  `SELECT kind, service, host, detail, since FROM process_problems WHERE ${isProblemCurrent}
   ORDER BY kind, since, process_id LIMIT 100`,
);

/** Stores the problems that running processes have found. */
export class ProcessProblemsRepository {
  constructor(private readonly database: Database) {}

  /** Records a process's current problems. Removes its other problems and all problems older than a day. */
  async record({ id, service, host }: ProblemSource, problems: ProcessProblem[]): Promise<void> {
    const kinds = problems.map(({ kind }) => kind);
    const details = problems.map(({ detail }) => detail);
    await this.database.execute(recordProblems, [id, service, host, kinds, details]);
  }

  /** Returns the running processes' problems, at most 100. */
  list(): Promise<ProcessProblemRecord[]> {
    return this.database.execute(listProblems);
  }
}
