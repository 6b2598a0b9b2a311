import { notFound, type CustomerImport, type LineResult, type Reach } from '@gatehouse/domain';
import { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';

/** An import as the request knows it that works on it. */
export interface ImportClaim {
  id: string;
  projectId: string;
  /** Names the request: once another one has claimed the import, this one writes nothing more. */
  claim: string;
}

/** How far an import has come. */
export interface ImportProgress {
  lastLine: number;
  /** Of all lines until then; null for an import that nobody can go on with. */
  linesMac: Buffer | null;
  results: LineResult[];
}

/** Of each kind: an import of whatever length leaves no more behind. */
const KEPT_FAILURES = 10_000;

/** A request that has written nothing for that long is dead: it commits, or ends, far more often. */
const SILENCE = `interval '2 minutes'`;

const columns = `
  i.id, i.project_id AS "projectId", i.created, i.skipped, i.failed, i.last_line AS "lastLine",
  CASE WHEN i.state = 'running' AND i.updated_at < now() - ${SILENCE} THEN 'interrupted' ELSE i.state END AS state,
  i.created_at AS "createdAt", i.updated_at AS "updatedAt", i.finished_at AS "finishedAt"`;

/** Imports of customers, and the lines that made nobody. */
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  /** How far an import has come, whether it was begun or not. Nothing changes. */
  async reached({ id, projectId }: ImportClaim): Promise<Pick<ImportProgress, 'lastLine' | 'linesMac'>> {
    const [row] = await this.database.prepared<Pick<ImportProgress, 'lastLine' | 'linesMac'>>(
      `SELECT last_line AS "lastLine", lines_mac AS "linesMac" FROM imports WHERE id = $1 AND project_id = $2`,
      [id, projectId],
    );
    return row ?? { lastLine: 0, linesMac: null };
  }

  /**
   * Begins an import, or takes over one that was begun: whoever worked on it writes nothing more.
   * @returns false, with nothing changed, when it has come further than `lastLine`
   */
  async claim(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    organizationId: string,
    lastLine: number,
  ): Promise<boolean> {
    const rows = await tx.prepared(
      `INSERT INTO imports AS i (id, project_id, organization_id, claim) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id, project_id) DO UPDATE
         SET claim = excluded.claim, state = 'running', updated_at = now(), finished_at = NULL
         WHERE i.last_line = $5
       RETURNING i.id`,
      [id, projectId, organizationId, claim, lastLine],
    );
    return rows.length > 0;
  }

  /**
   * Notes lines that the same transaction has imported. The caller rolls back when it has lost its claim.
   * @returns false when another request has claimed the import
   */
  async advance(tx: Tx, { id, projectId, claim }: ImportClaim, progress: ImportProgress): Promise<boolean> {
    const { lastLine, linesMac, results } = progress;
    const count = (wanted: string): number => results.filter(({ status }) => status === wanted).length;
    const [row] = await tx.prepared<{ skipped: number; failed: number }>(
      `UPDATE imports SET last_line = $4, lines_mac = $5, created = created + $6, skipped = skipped + $7,
         failed = failed + $8, updated_at = now()
       WHERE id = $1 AND project_id = $2 AND claim = $3 RETURNING skipped, failed`,
      [id, projectId, claim, lastLine, linesMac, count('created'), count('skipped'), count('failed')],
    );
    if (!row) return false;
    const kept = [
      ...newestKept(results, 'skipped', row.skipped),
      ...newestKept(results, 'failed', row.failed),
    ];
    if (kept.length > 0) {
      await tx.prepared(
        `INSERT INTO import_failures (import_id, project_id, line, status, customer_id, errors)
         SELECT $1, $2, f.line, f.status, f."customerId", f.errors
         FROM json_to_recordset($3::json) AS f (line int, status text, "customerId" uuid, errors jsonb)`,
        [id, projectId, JSON.stringify(kept)],
      );
    }
    return true;
  }

  /** Ends the work of a request, unless another one has taken over. */
  async finish(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    state: 'interrupted' | 'completed',
  ): Promise<void> {
    await tx.prepared(
      `UPDATE imports SET state = $4, updated_at = now(), finished_at = CASE WHEN $4 = 'completed' THEN now() END
       WHERE id = $1 AND project_id = $2 AND claim = $3`,
      [id, projectId, claim, state],
    );
  }

  /** @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<CustomerImport> {
    const where = new Conditions().reach('i', 'i.project_id', reach);
    const [row] = await this.database.query<CustomerImport>(
      // Two projects can have an import of one id, though not by chance: then the newer one is meant.
      `SELECT ${columns} FROM imports i WHERE ${where.sql} AND i.id = ${where.value(id)}
       ORDER BY i.created_at DESC, i.project_id LIMIT 1`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /** The lines of an import that made nobody, in order. */
  async failures({ id, projectId }: CustomerImport, afterLine: number, limit: number): Promise<LineResult[]> {
    return this.database.prepared<LineResult>(
      `SELECT line, status, customer_id AS "customerId", errors FROM import_failures
       WHERE import_id = $1 AND project_id = $2 AND line > $3 ORDER BY line LIMIT $4`,
      [id, projectId, afterLine, limit],
    );
  }

  /** Removes imports that were begun and touched more than `days` ago, their lines first. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    const isOld = `created_at < now() - $1 * interval '1 day' AND updated_at < now() - $1 * interval '1 day'`;
    const ofOld = `(import_id, project_id) IN (SELECT id, project_id FROM imports WHERE ${isOld})`;
    await prune(this.database, signal, 'import_failures', ofOld, [days]);
    await prune(this.database, signal, 'imports', isOld, [days]);
  }
}

/** Those of a kind that still have a place. @param total of the kind, these included */
function newestKept(results: LineResult[], wanted: string, total: number): LineResult[] {
  const ofKind = results.filter(({ status }) => status === wanted);
  return ofKind.slice(0, Math.max(0, KEPT_FAILURES - (total - ofKind.length)));
}
