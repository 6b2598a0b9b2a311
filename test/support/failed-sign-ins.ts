import type { TestInstance } from './test-instance.js';

/** The failed sign-ins with an email address, for all client IPs that its customer has not used before. */
export interface FailedSignIns {
  /** Number of failed sign-ins in the current window, or 0 if the window has ended. */
  inWindow: number;
  /** Number of consecutive failed sign-ins in all windows, and of guesses at the password. Default: `inWindow`. */
  consecutive?: number;
}

/** Sets the number of failed sign-ins with an email address in the instance's first project. */
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
