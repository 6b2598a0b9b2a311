import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';

export interface LoginTries {
  tries: number;
  /** Seconds until the window ends. */
  secondsLeft: number;
}

/** Failed logins per (project, e-mail), counted where every replica sees them and no restart forgets them. */
export class LoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Counts a try before its password is checked, so that parallel tries never get more than the limit;
   * a success forgets the count again.
   */
  async take(projectId: string, emailHash: Buffer, windowSeconds: number): Promise<LoginTries> {
    const [row] = await this.database.prepared<LoginTries>(
      `INSERT INTO login_attempts AS a (project_id, email_hash, tries, window_ends_at)
       VALUES ($1, $2, 1, now() + $3 * interval '1 second')
       ON CONFLICT (project_id, email_hash) DO UPDATE SET
         tries = CASE WHEN a.window_ends_at <= now() THEN 1 ELSE a.tries + 1 END,
         window_ends_at = CASE WHEN a.window_ends_at <= now() THEN excluded.window_ends_at ELSE a.window_ends_at END
       RETURNING tries, ceil(extract(epoch FROM window_ends_at - now()))::int AS "secondsLeft"`,
      [projectId, emailHash, windowSeconds],
    );
    return row!;
  }

  /** Gives a try back whose password was never checked. */
  async giveBack(projectId: string, emailHash: Buffer): Promise<void> {
    await this.database.prepared(
      'UPDATE login_attempts SET tries = tries - 1 WHERE project_id = $1 AND email_hash = $2 AND tries > 0',
      [projectId, emailHash],
    );
  }

  async forget(tx: Tx, projectId: string, emailHash: Buffer): Promise<void> {
    await tx.prepared('DELETE FROM login_attempts WHERE project_id = $1 AND email_hash = $2', [
      projectId,
      emailHash,
    ]);
  }

  /** Removes windows that are over. */
  async prune(): Promise<void> {
    await this.database.prepared('DELETE FROM login_attempts WHERE window_ends_at < now()');
  }
}
