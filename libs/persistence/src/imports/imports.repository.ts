// This file contains SQL: an upsert, conditional updates that return rows, inserts of many rows, and
// conditions on a reach.
import { MoreThan } from 'typeorm';
import {
  notFound,
  type CustomerImport,
  type ImportState,
  type ImportLineResult,
  type Reach,
} from '@gatehouse/domain';
import { Conditions, sampleReaches } from '../conditions.js';
import type { Database } from '../database.js';
import { NIL_UUID } from '../uuid-v7.js';
import { pruneStatement, pruneInBatches } from '../prune.js';
import { dynamicStatement, integer, nullable, statement, textOf, timestamptz, uuid } from '../statements.js';
import type { Tx } from '../transactions.js';
import { ImportFailureEntity } from './import-failure.entity.js';
import { ImportEntity } from './import.entity.js';

/** An import with the claim of the request that works on it. */
export interface ImportClaim {
  id: string;
  projectId: string;
  /** Identifies the request. Once another request has claimed the import, this one can no longer write. */
  claim: string;
}

/** The progress of an import. */
export interface ImportProgress {
  lastLine: number;
  /** MAC of all lines so far; null for an import that cannot be resumed. */
  linesMac: Buffer | null;
  results: ImportLineResult[];
}

/** Maximum number of recorded failures per status, however long the import is. */
const MAX_RECORDED_FAILURES = 10_000;

/** Time without a write after which a request counts as dead. An active request commits far more often. */
const STALE_AFTER = `interval '2 minutes'`;

const claimImport = statement(
  { id: uuid },
  `INSERT INTO imports AS i (id, project_id, organization_id, claim) VALUES ($1, $2, $3, $4)
   ON CONFLICT (id, project_id) DO UPDATE
     SET claim = excluded.claim, state = 'running', updated_at = now(), finished_at = NULL
     WHERE i.last_line = $5
   RETURNING i.id`,
);

const advanceImport = statement(
  { skipped: integer, failed: integer },
  `UPDATE imports SET last_line = $4, lines_mac = $5, created = created + $6, skipped = skipped + $7,
     failed = failed + $8, weak_hashes = weak_hashes + $9, updated_at = now()
   WHERE id = $1 AND project_id = $2 AND claim = $3 RETURNING skipped, failed`,
);

const insertFailures = statement(
  {},
  `INSERT INTO import_failures (import_id, project_id, line, status, customer_id, errors)
   SELECT $1, $2, f.line, f.status, f."customerId", f.errors
   FROM json_to_recordset($3::json) AS f (line int, status text, "customerId" uuid, errors jsonb)`,
);

const findImport = dynamicStatement(
  {
    id: uuid,
    projectId: uuid,
    created: integer,
    skipped: integer,
    failed: integer,
    weakHashes: integer,
    lastLine: integer,
    state: textOf<ImportState>(),
    createdAt: timestamptz,
    updatedAt: timestamptz,
    finishedAt: nullable(timestamptz),
  },
  (reach: Reach, id: string) => {
    const where = new Conditions().addReach('i', 'i.project_id', reach);
    // Two projects can have an import with the same id, though not by chance: the newer one is returned.
    const sql = `
      SELECT i.id, i.project_id AS "projectId", i.created, i.skipped, i.failed, i.weak_hashes AS "weakHashes", i.last_line AS "lastLine",
        CASE WHEN i.state = 'running' AND i.updated_at < now() - ${STALE_AFTER} THEN 'interrupted' ELSE i.state END AS state,
        i.created_at AS "createdAt", i.updated_at AS "updatedAt", i.finished_at AS "finishedAt"
      FROM imports i WHERE ${where.sql} AND i.id = ${where.bind(id)}
      ORDER BY i.created_at DESC, i.project_id LIMIT 1`;
    return { text: sql, values: where.values };
  },
  sampleReaches.map((reach) => [reach, NIL_UUID] as const),
);

const isOld = `created_at < now() - $1 * interval '1 day' AND updated_at < now() - $1 * interval '1 day'`;
const pruneFailures = pruneStatement(
  'import_failures',
  `(import_id, project_id) IN (SELECT id, project_id FROM imports WHERE ${isOld})`,
);
const pruneImports = pruneStatement('imports', isOld);

/** Imports of customers, with the lines that created no customer. */
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the progress of an import, or that of a new one if it was not started. Changes nothing. */
  async getProgress({ id, projectId }: ImportClaim): Promise<Pick<ImportProgress, 'lastLine' | 'linesMac'>> {
    const started = await this.database.read((manager) => manager.findOneBy(ImportEntity, { id, projectId }));
    return started ?? { lastLine: 0, linesMac: null };
  }

  /**
   * Starts an import, or takes over one that was started: the previous request can no longer write.
   * @returns false, without a change, if the import has advanced beyond `lastLine`
   */
  async claim(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    organizationId: string,
    lastLine: number,
  ): Promise<boolean> {
    const rows = await tx.execute(claimImport, [id, projectId, organizationId, claim, lastLine]);
    return rows.length > 0;
  }

  /**
   * Records lines that the same transaction has imported. The caller rolls back if it has lost its claim.
   * @returns false if another request has claimed the import
   */
  async recordProgress(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    progress: ImportProgress,
  ): Promise<boolean> {
    const { lastLine, linesMac, results } = progress;
    const count = (wantedStatus: string): number =>
      results.filter(({ status }) => status === wantedStatus).length;
    const [row] = await tx.execute(advanceImport, [
      ...[id, projectId, claim, lastLine, linesMac],
      ...[count('created'), count('skipped'), count('failed')],
      results.filter(({ hasWeakHash }) => hasWeakHash).length,
    ]);
    if (!row) return false;
    const recorded = [
      ...failuresToRecord(results, 'skipped', row.skipped),
      ...failuresToRecord(results, 'failed', row.failed),
    ];
    if (recorded.length > 0) await tx.execute(insertFailures, [id, projectId, JSON.stringify(recorded)]);
    return true;
  }

  /** Ends the work of a request, unless another request has taken over. */
  async finish(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    state: 'interrupted' | 'completed',
  ): Promise<void> {
    await tx.manager.update(
      ImportEntity,
      { id, projectId, claim },
      { state, finishedAt: state === 'completed' ? () => 'now()' : null },
    );
  }

  /** Returns the number of created customers whose hash is too cheap, or 0 if another request has taken over. */
  async countWeakHashes(tx: Tx, { id, projectId, claim }: ImportClaim): Promise<number> {
    const found = await tx.manager.findOneBy(ImportEntity, { id, projectId, claim });
    return found?.weakHashes ?? 0;
  }

  /** @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<CustomerImport> {
    const [row] = await this.database.execute(findImport(reach, id));
    if (!row) throw notFound();
    return row;
  }

  /** Returns the lines of an import that created no customer, in order. */
  async listFailures(
    { id, projectId }: CustomerImport,
    afterLine: number,
    limit: number,
  ): Promise<ImportLineResult[]> {
    return this.database.read((manager) =>
      manager.find(ImportFailureEntity, {
        where: { importId: id, projectId, line: MoreThan(afterLine) },
        order: { line: 'ASC' },
        take: limit,
      }),
    );
  }

  /** Removes imports that were both started and last updated more than `days` ago, after their lines. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneFailures, [days]);
    await pruneInBatches(this.database, signal, pruneImports, [days]);
  }
}

/**
 * Returns the results of a status that are within the recording limit.
 * @param total number of results with this status, including these
 */
function failuresToRecord(
  results: ImportLineResult[],
  status: ImportLineResult['status'],
  total: number,
): ImportLineResult[] {
  const matching = results.filter((result) => result.status === status);
  return matching.slice(0, Math.max(0, MAX_RECORDED_FAILURES - (total - matching.length)));
}
