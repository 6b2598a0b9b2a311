import type { TestInstance } from './test-instance.js';

/** Failed sign-ins at all client IPs that no customer has used. */
export interface FailedSignIns {
  /** Failed sign-ins in the current window. 0: the window has ended. */
  inWindow: number;
  /** Failed sign-ins in all windows, also as guesses at the password. Default: `inWindow`. */
  consecutive?: number;
}

/** Sets the failed sign-ins with an email in the instance's first project. */
export async function setFailedSignIns(
  instance: TestInstance,
  email: string,
  { inWindow, consecutive = inWindow }: FailedSignIns,
): Promise<void> {
  await instance.sql(
    `INSERT INTO login_attempts (project_id, email_hash, tries, window_ends_at, failures, guesses, customer_id)
     VALUES ($1, sha256(convert_to($2, 'UTF8')), $3::int, now() - interval '1 ms' + $3 * interval '90 s', $4, $4,
       (SELECT id FROM customers WHERE project_id = $1 AND email = $2))
     ON CONFLICT (project_id, email_hash) DO UPDATE SET tries = excluded.tries, failures = excluded.failures,
       window_ends_at = excluded.window_ends_at, guesses = excluded.guesses, customer_id = excluded.customer_id`,
    [instance.credentials.projectId, email, inWindow, consecutive],
  );
}
