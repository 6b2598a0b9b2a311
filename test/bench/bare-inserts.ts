import pg from 'pg';
import { serve } from './child.js';

export interface BareInserts {
  databaseUrl: string;
  connections: number;
  seconds: number;
  /** Row size, in bytes. */
  size: number;
}

/** Inserts single rows into a plain table and commits each of them durably. @returns rows per second */
async function measure({ databaseUrl, connections, seconds, size }: BareInserts): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  try {
    await pool.query('CREATE TABLE IF NOT EXISTS bare_inserts (id uuid PRIMARY KEY, body text NOT NULL)');
    const query = { name: 'insert', text: 'INSERT INTO bare_inserts VALUES (gen_random_uuid(), $1)' };
    const values = ['x'.repeat(size)];
    const began = performance.now();
    const elapsed = (): number => (performance.now() - began) / 1_000;
    let count = 0;
    const loop = async (): Promise<void> => {
      for (; elapsed() < seconds; count += 1) await pool.query({ ...query, values });
    };
    await Promise.all(Array.from({ length: connections }, loop));
    const perSecond = count / elapsed();
    await pool.query('DROP TABLE bare_inserts');
    return perSecond;
  } finally {
    await pool.end();
  }
}

serve({ measure });
