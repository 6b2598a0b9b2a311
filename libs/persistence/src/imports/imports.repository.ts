// Raw SQL: an upsert, conditional updates that return rows, multi-row inserts, and access scope conditions.
import { MoreThan } from 'typeorm';
import {
  countByKind,
  countResults,
  listedKind,
  listedKinds,
  notFound,
  type CustomerImport,
  type ImportState,
  type ImportLineResult,
  type ListedKind,
  type AccessScope,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import {
  dynamicStatement,
  integer,
  nullable,
  statement,
  textOf,
  timestamptz,
  uuid,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { ImportFailureEntity } from './import-failure.entity.js';
import { ImportEntity } from './import.entity.js';

/** An import with the claim of the request that processes it. */
export interface ImportClaim {
  id: string;
  projectId: string;
  /** Identifies the request. Once another request has claimed the import, this one can no longer write. */
  claim: string;
}

/** The lines that an import has processed. */
export interface ProcessedLines {
  lastLine: number;
  /** MAC over all lines so far; null for an import that cannot be resumed. */
  linesMac: Buffer | null;
}

/** An import's progress. */
export interface ImportProgress extends ProcessedLines {
  results: ImportLineResult[];
}

interface StoredProgress extends ProcessedLines {
  isCompleted: boolean;
}

/** Maximum number of recorded lines per kind, regardless of the import's length. */
const MAX_RECORDED_LINES = 10_000;

/** How long a request can go without a write before it counts as dead. An active request commits far more often. */
const STALE_AFTER = `interval '2 minutes'`;

const claimImport = statement(
  { id: uuid },
  `INSERT INTO imports AS i (id, project_id, organization_id, claim) VALUES ($1, $2, $3, $4)
   ON CONFLICT (id, project_id) DO UPDATE
     SET claim = excluded.claim, state = 'running', updated_at = now(), finished_at = NULL
     WHERE i.last_line = $5
   RETURNING i.id`,
);

const countRow = {
  created: integer,
  updated: integer,
  skipped: integer,
  failed: integer,
  unchanged: integer,
  incomplete: integer,
};

const advanceImport = statement(
  countRow,
  `UPDATE imports SET last_line = $4, lines_mac = $5, created = created + $6, updated = updated + $7,
     skipped = skipped + $8, failed = failed + $9, unchanged = unchanged + $10, incomplete = incomplete + $11,
     weak_hashes = weak_hashes + $12, updated_at = now()
   WHERE id = $1 AND project_id = $2 AND claim = $3
   RETURNING created, updated, skipped, failed, unchanged, incomplete`,
);

const insertFailures = statement(
  {},
  `INSERT INTO import_failures (import_id, project_id, line, status, customer_id, errors, warnings)
   SELECT $1, $2, f.line, f.status, f."customerId", f.errors, f.warnings
   FROM json_to_recordset($3::json) AS f (line int, status text, "customerId" uuid, errors jsonb, warnings jsonb)`,
);

const findImport = dynamicStatement(
  {
    id: uuid,
    projectId: uuid,
    ...countRow,
    weakHashes: integer,
    lastLine: integer,
    state: textOf<ImportState>(),
    createdAt: timestamptz,
    updatedAt: timestamptz,
    finishedAt: nullable(timestamptz),
  },
  (accessScope: AccessScope, id: string) => {
    const where = new Conditions().addAccessScope('i', 'i.project_id', accessScope);
    // Two projects can have an import with the same id, because clients choose it. Returns the newer import.
    const sql = `
      SELECT i.id, i.project_id AS "projectId", i.created, i.updated, i.skipped, i.failed, i.unchanged, i.incomplete,
        i.weak_hashes AS "weakHashes", i.last_line AS "lastLine",
        CASE WHEN i.state = 'running' AND i.updated_at < now() - ${STALE_AFTER} THEN 'interrupted' ELSE i.state END AS state,
        i.created_at AS "createdAt", i.updated_at AS "updatedAt", i.finished_at AS "finishedAt"
      FROM imports i WHERE ${where.sql} AND i.id = ${where.bind(id)}
      ORDER BY i.created_at DESC, i.project_id LIMIT 1`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

const isOld = `created_at < now() - $1 * interval '1 day' AND updated_at < now() - $1 * interval '1 day'`;
const pruneFailures = pruneStatement(
  'import_failures',
  `(import_id, project_id) IN (SELECT id, project_id FROM imports WHERE ${isOld})`,
);
const pruneImports = pruneStatement('imports', isOld);

/** Stores customer imports, and the lines that did not create or update a customer or were only partly applied. */
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  /** Returns an import's progress, or the initial progress if it was not started. */
  async getProgress({ id, projectId }: ImportClaim): Promise<StoredProgress> {
    const started = await this.database.read((manager) => manager.findOneBy(ImportEntity, { id, projectId }));
    if (!started) return { lastLine: 0, linesMac: null, isCompleted: false };
    const { lastLine, linesMac, state } = started;
    return { lastLine, linesMac, isCompleted: state === 'completed' };
  }

  /**
   * Starts an import, or takes over one that was started. The previous request can then no longer write.
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
    const counts = countResults(results);
    const { created, updated, skipped, failed, unchanged, incomplete, weakHashes } = counts;
    const [row] = await tx.execute(advanceImport, [
      ...[id, projectId, claim, lastLine, linesMac],
      ...[created, updated, skipped, failed, unchanged, incomplete, weakHashes],
    ]);
    if (!row) return false;
    const recorded = listedKinds.flatMap((kind) => linesToRecord(results, kind, countByKind(kind, row)));
    if (recorded.length > 0) await tx.execute(insertFailures, [id, projectId, JSON.stringify(recorded)]);
    return true;
  }

  /** Ends a request's work, unless another request has taken over. */
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

  /**
   * Returns the number of created customers with a weak password hash. Returns 0 if another request has taken over.
   */
  async countWeakHashes(tx: Tx, { id, projectId, claim }: ImportClaim): Promise<number> {
    const found = await tx.manager.findOneBy(ImportEntity, { id, projectId, claim });
    return found?.weakHashes ?? 0;
  }

  /** @throws GatehouseError `not_found` */
  async get(accessScope: AccessScope, id: string): Promise<CustomerImport> {
    const [row] = await this.database.execute(findImport(accessScope, id));
    if (!row) throw notFound();
    return row;
  }

  /** Returns an import's recorded lines, in order. */
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

  /** Removes imports that were both started and last updated more than `days` days ago. Removes their lines first. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneFailures, [days]);
    await pruneInBatches(this.database, signal, pruneImports, [days]);
  }
}

/**
 * Returns the results of one kind that are within the recording limit.
 * @param total number of results of this kind, including these
 */
function linesToRecord(results: ImportLineResult[], kind: ListedKind, total: number): ImportLineResult[] {
  const matching = results.filter((result) => listedKind(result) === kind);
  return matching.slice(0, Math.max(0, MAX_RECORDED_LINES - (total - matching.length)));
}
