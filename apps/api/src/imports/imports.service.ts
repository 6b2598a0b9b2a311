import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  unavailable,
  type CustomerImport,
  type ImportLineResult,
  type ProjectContext,
  type AccessScope,
} from '@gatehouse/domain';
import { ImportsRepository, Transactions, type ImportClaim, type Tx } from '@gatehouse/persistence';
import { CursorCodec, errorMessage, Keyring, LOGGER, newId, type Logger } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { DEFAULT_LIMIT, type Page, type PageQuery } from '../http/lists/paging.js';
import { Readiness } from '../http/readiness.js';
import type { ImportCustomersRequest } from './dto/import.request.js';
import { ImportAccessService } from './import-access.service.js';
import { ImportLinesService, type ValidatedLine } from './import-lines.service.js';
import { ImportWriterService, type WriteOptions } from './import-writer.service.js';
import { readBatches, readLines, type ImportedLines } from './ndjson.js';

/** Options for an NDJSON import. */
export interface ImportOptions {
  importId: string;
  projectId: string | undefined;
  emitEvents: boolean;
  allowFastHashes: boolean;
  /** True to update the customers that the lines identify. */
  update: boolean;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

/** A request that processes an import. */
interface ImportWork extends ImportClaim {
  caller: ManagementCaller;
  project: ProjectContext;
  options: WriteOptions;
}

/** Length in bytes of a position in the failure list, which is a line number. */
const POSITION_LENGTH = 4;

/** Imports customers from other systems, as one list or line by line. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly access: ImportAccessService,
    private readonly lines: ImportLinesService,
    private readonly writer: ImportWriterService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly cursors: CursorCodec,
    private readonly readiness: Readiness,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Imports a list in one transaction.
   * @returns the import and the result for each customer, in order
   * @throws GatehouseError `not_found`, `project_archived`, `request_timeout` if the caller disconnects
   */
  async importList(
    caller: ManagementCaller,
    input: ImportCustomersRequest,
    signal: AbortSignal,
  ): Promise<{ customerImport: CustomerImport; results: ImportLineResult[] }> {
    const { projectId, emitEvents = false, update = false, allowFastHashes } = input;
    const work = await this.prepare(caller, newId(), projectId, { emitEvents, update });
    const options = { signal, allowFastHashes };
    const validated = await this.lines.validateList(work.project, input.customers, options);
    const results = await this.writer.runBatch(async (tx) => {
      await this.claim(tx, work, 0);
      const written = await this.writeBatch(tx, work, validated, validated.length, null);
      await this.complete(tx, work);
      return written;
    });
    return { customerImport: await this.imports.get(importAccessScope(work), work.id), results };
  }

  /**
   * Imports lines as they arrive. Each batch has its own transaction, which also records the progress. A repeated
   * request with the same id continues after the last committed line.
   * @throws GatehouseError `not_found`, `project_archived`, `invalid_api_key` or `operator_session_required` once the
   * credential is no longer active, `conflict` if another request is processing the import or the import was started
   * with different lines, `request_timeout`, `unavailable`
   */
  async importLines(
    caller: ManagementCaller,
    options: ImportOptions,
    body: Readable,
  ): Promise<CustomerImport> {
    const { importId, projectId, emitEvents, update } = options;
    const work = await this.prepare(caller, importId, projectId, { emitEvents, update });
    const importedLines = await this.readImportedLines(work);
    try {
      const batches = readBatches(readLines(body), importedLines);
      let written: Promise<void> = Promise.resolve();
      for (;;) {
        const next = await failFast(batches.next(), written);
        if (next.done) break;
        const validated = await this.lines.validateLines(work.project, next.value.lines, options);
        // This batch is written while the next one is read and validated. No third batch is held in memory.
        await written;
        written = this.commitBatch(work, validated, next.value);
        written.catch(() => undefined);
      }
      await written;
    } catch (error) {
      await this.markInterrupted(work);
      throw error;
    }
    await this.transactions.join((tx) => this.complete(tx, work));
    return this.imports.get(importAccessScope(work), work.id);
  }

  /**
   * Returns an import with a page of its failures: lines that did not create or update a customer, or were imported
   * without some of their values.
   * @throws GatehouseError `not_found`, `invalid_cursor`
   */
  async get(
    accessScope: AccessScope,
    id: string,
    query: PageQuery,
  ): Promise<{ customerImport: CustomerImport; failures: Page<ImportLineResult> }> {
    const customerImport = await this.imports.get(accessScope, id);
    const list = ['import-failures', customerImport.projectId, id];
    const limit = query.limit ?? DEFAULT_LIMIT;
    const after =
      query.cursor === undefined
        ? 0
        : this.cursors.decodeBytes(list, query.cursor, POSITION_LENGTH).readUInt32BE();
    const rows = await this.imports.listFailures(customerImport, after, limit + 1);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const nextCursor =
      rows.length > limit && last ? this.cursors.encodeBytes(list, encodePosition(last.line)) : null;
    return { customerImport, failures: { items, nextCursor } };
  }

  /**
   * @throws GatehouseError `not_found`, `project_archived`, `validation_failed` if an operator omits `projectId`
   */
  private async prepare(
    caller: ManagementCaller,
    importId: string,
    projectId: string | undefined,
    options: WriteOptions,
  ): Promise<ImportWork> {
    const project = await this.access.getProject(caller, projectId);
    return { caller, project, options, id: importId, projectId: project.id, claim: newId() };
  }

  /**
   * Returns the lines that the body must start with. They are compared before the import is claimed, so a body with
   * different lines changes nothing.
   */
  private async readImportedLines(work: ImportWork): Promise<ImportedLines> {
    const { lastLine, linesMac, isCompleted } = await this.imports.getProgress(work);
    return {
      ...{ lastLine, isCompleted },
      matches: (digest) =>
        linesMac !== null && this.keyring.verifyMac('import-lines', digestForMode(work, digest), linesMac),
      claim: async () => {
        const isClaimed = await this.transactions.join((tx) => this.claim(tx, work, lastLine));
        return isClaimed ? null : this.readImportedLines(work);
      },
    };
  }

  /**
   * Claims the import.
   * @returns false if another request has progressed beyond `afterLine` in the meantime
   */
  private async claim(tx: Tx, work: ImportWork, afterLine: number): Promise<boolean> {
    const { organizationId } = work.project;
    if (!(await this.imports.claim(tx, work, organizationId, afterLine))) return false;
    const action = { action: 'import.started', organizationId, projectId: work.projectId } as const;
    const details = { afterLine, ...(work.options.update && { update: true }) };
    this.audit.record(tx, { ...action, targetId: work.id, details });
    return true;
  }

  /** Completes the import. If it contains weak hashes, an audit log entry is recorded. */
  private async complete(tx: Tx, work: ImportWork): Promise<void> {
    await this.imports.finish(tx, work, 'completed');
    const weakHashes = await this.imports.countWeakHashes(tx, work);
    if (weakHashes === 0) return;
    this.audit.record(tx, {
      action: 'import.weak_hashes_found',
      organizationId: work.project.organizationId,
      projectId: work.projectId,
      targetId: work.id,
      details: { weakHashes },
    });
  }

  private async commitBatch(
    work: ImportWork,
    validated: ValidatedLine[],
    { lastLine, digest }: { lastLine: number; digest: Buffer },
  ): Promise<void> {
    if (this.readiness.draining) {
      throw unavailable({
        detail: 'The service is stopping. Send the import again with the same importId.',
      });
    }
    await this.access.assertStillAllowed(work.caller, work.projectId);
    const linesMac = this.keyring.mac('import-lines', digestForMode(work, digest));
    await this.writer.runBatch((tx) => this.writeBatch(tx, work, validated, lastLine, linesMac));
  }

  private async writeBatch(
    tx: Tx,
    work: ImportWork,
    validated: ValidatedLine[],
    lastLine: number,
    linesMac: Buffer | null,
  ): Promise<ImportLineResult[]> {
    const results = await this.writer.write(tx, work.project, validated, work.options);
    if (await this.imports.recordProgress(tx, work, { lastLine, linesMac, results })) return results;
    throw new GatehouseError('conflict', {
      detail: 'Another request is processing this import. Wait until it has finished.',
    });
  }

  /**
   * Marks the import as interrupted. Best effort: without the mark, the import counts as interrupted once its progress
   * is stale.
   */
  private async markInterrupted(work: ImportWork): Promise<void> {
    try {
      await this.transactions.join((tx) => this.imports.finish(tx, work, 'interrupted'));
    } catch (error) {
      this.logger.warn(
        { importId: work.id, reason: errorMessage(error) },
        'import interruption not recorded',
      );
    }
  }
}

/** Returns `next`, but rejects as soon as `previous` fails. */
function failFast<T>(next: Promise<T>, previous: Promise<void>): Promise<T> {
  next.catch(() => undefined);
  return Promise.race([next, previous.then(() => next)]);
}

/**
 * Returns the digest of an import's lines. It is different for an update, so that an import can only be resumed in
 * the mode in which it was started.
 */
const digestForMode = ({ options }: ImportWork, digest: Buffer): Buffer =>
  options.update ? Buffer.concat([digest, Buffer.from('update')]) : digest;

const importAccessScope = ({ project }: ImportWork): AccessScope => ({
  organizationIds: [project.organizationId],
  projectId: project.id,
});

function encodePosition(line: number): Buffer {
  const bytes = Buffer.alloc(POSITION_LENGTH);
  bytes.writeUInt32BE(line);
  return bytes;
}
