import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { SecretKeyCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  unavailable,
  type CustomerImport,
  type ImportLineResult,
  type ProjectContext,
  type Reach,
} from '@gatehouse/domain';
import {
  ApiKeysRepository,
  ImportsRepository,
  ProjectsRepository,
  Transactions,
  type ImportClaim,
  type Tx,
} from '@gatehouse/persistence';
import {
  CursorCodec,
  errorMessage,
  KeyedLock,
  Keyring,
  LOGGER,
  newId,
  type Logger,
} from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { DEFAULT_LIMIT, type Page, type PageQuery } from '../http/paging.js';
import { Readiness } from '../http/readiness.js';
import type { ImportCustomersRequest } from './dto/import.request.js';
import { ImportLinesService, type ValidatedLine } from './import-lines.service.js';
import { ImportWriterService } from './import-writer.service.js';
import { readBatches, readLines, type ImportedLines } from './ndjson.js';

/** What an import of lines is told. */
export interface ImportOptions {
  importId: string;
  projectId: string | undefined;
  emitEvents: boolean;
  /** Aborted when the caller goes. */
  signal: AbortSignal;
}

/** A request that works on an import. */
interface ImportWork extends ImportClaim {
  caller: SecretKeyCaller;
  project: ProjectContext;
  emitEvents: boolean;
}

/** Bytes of a place in the list of failures: the number of a line. */
const POSITION_LENGTH = 4;

/** Brings customers of other systems in, as one list or line by line. */
@Injectable()
export class ImportsService {
  /** One batch of all imports at a time is written: together they take no more connections than one. */
  private readonly batchLock = new KeyedLock();

  constructor(
    private readonly imports: ImportsRepository,
    private readonly projects: ProjectsRepository,
    private readonly apiKeys: ApiKeysRepository,
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
   * @returns the import and what became of each customer, in order
   * @throws GatehouseError `not_found`, `project_archived`, `request_timeout` when the caller goes
   */
  async importList(
    caller: SecretKeyCaller,
    input: ImportCustomersRequest,
    signal: AbortSignal,
  ): Promise<{ subject: CustomerImport; results: ImportLineResult[] }> {
    const work = await this.prepare(caller, newId(), input.projectId, input.emitEvents ?? false);
    const judged = await this.lines.validateList(work.project, input.customers, signal);
    const results = await this.batchLock.run('batch', () =>
      this.transactions.run(async (tx) => {
        await this.claim(tx, work, 0);
        const written = await this.writeBatch(tx, work, judged, judged.length, null);
        await this.imports.finish(tx, work, 'completed');
        return written;
      }),
    );
    return { subject: await this.imports.get(importReach(work), work.id), results };
  }

  /**
   * Imports lines as they come, each batch in a transaction of its own that also notes how far it has come. What is
   * sent again under the same id goes on after the last line that was committed.
   * @throws GatehouseError `not_found`, `project_archived`, `invalid_api_key` once the key has ended, `conflict` when
   *   another request goes on with the import or it was begun with other lines, `request_timeout`, `unavailable`
   */
  async importLines(
    caller: SecretKeyCaller,
    options: ImportOptions,
    body: Readable,
  ): Promise<CustomerImport> {
    const { importId, projectId, emitEvents, signal } = options;
    const work = await this.prepare(caller, importId, projectId, emitEvents);
    const done = await this.readImportedLines(work);
    try {
      const batches = readBatches(readLines(body), done);
      let written: Promise<void> = Promise.resolve();
      for (;;) {
        const next = await unlessFailed(batches.next(), written);
        if (next.done) break;
        const judged = await this.lines.validateLines(work.project, next.value.lines, signal);
        // The next batch is read and judged while this one is written; no more than that is held.
        await written;
        written = this.commitBatch(work, judged, next.value);
        written.catch(() => undefined);
      }
      await written;
    } catch (error) {
      await this.markInterrupted(work);
      throw error;
    }
    await this.transactions.run((tx) => this.imports.finish(tx, work, 'completed'));
    return this.imports.get(importReach(work), work.id);
  }

  /**
   * An import with a page of the lines that made nobody.
   * @throws GatehouseError `not_found`, `invalid_cursor`
   */
  async get(
    reach: Reach,
    id: string,
    query: PageQuery,
  ): Promise<{ subject: CustomerImport; failures: Page<ImportLineResult> }> {
    const subject = await this.imports.get(reach, id);
    const list = ['import-failures', subject.projectId, id];
    const limit = query.limit ?? DEFAULT_LIMIT;
    const after =
      query.cursor === undefined
        ? 0
        : this.cursors.decodeBytes(list, query.cursor, POSITION_LENGTH).readUInt32BE();
    const rows = await this.imports.listFailures(subject, after, limit + 1);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const nextCursor =
      rows.length > limit && last ? this.cursors.encodeBytes(list, encodePosition(last.line)) : null;
    return { subject, failures: { items, nextCursor } };
  }

  /** @throws GatehouseError `not_found`, `project_archived` */
  private async prepare(
    caller: SecretKeyCaller,
    id: string,
    projectId: string | undefined,
    emitEvents: boolean,
  ): Promise<ImportWork> {
    const project = await this.projects.getActive(caller.reach, projectId ?? caller.project.id);
    return { caller, project, emitEvents, id, projectId: project.id, claim: newId() };
  }

  /** What the body has to begin with before the import is claimed: other lines change nothing. */
  private async readImportedLines(work: ImportWork): Promise<ImportedLines> {
    const { lastLine, linesMac } = await this.imports.getProgress(work);
    return {
      lastLine,
      matches: (digest) => linesMac !== null && this.keyring.verifyMac('import-lines', digest, linesMac),
      claim: async () => {
        const isClaimed = await this.transactions.run((tx) => this.claim(tx, work, lastLine));
        return isClaimed ? null : this.readImportedLines(work);
      },
    };
  }

  /** @returns false when another request has meanwhile come further than `afterLine` */
  private async claim(tx: Tx, work: ImportWork, afterLine: number): Promise<boolean> {
    const { organizationId } = work.project;
    if (!(await this.imports.claim(tx, work, organizationId, afterLine))) return false;
    const action = { action: 'import.started', organizationId, projectId: work.projectId } as const;
    await this.audit.record(tx, { ...action, targetId: work.id, details: { afterLine } });
    return true;
  }

  private async commitBatch(
    work: ImportWork,
    judged: ValidatedLine[],
    { lastLine, digest }: { lastLine: number; digest: Buffer },
  ): Promise<void> {
    if (this.readiness.draining) {
      throw unavailable({
        detail: 'The service is stopping. Send the import again with the same importId.',
      });
    }
    await this.assertStillAllowed(work);
    const linesMac = this.keyring.mac('import-lines', digest);
    await this.batchLock.run('batch', () =>
      this.transactions.run((tx) => this.writeBatch(tx, work, judged, lastLine, linesMac)),
    );
  }

  private async writeBatch(
    tx: Tx,
    work: ImportWork,
    judged: ValidatedLine[],
    lastLine: number,
    linesMac: Buffer | null,
  ): Promise<ImportLineResult[]> {
    const results = await this.writer.write(tx, work.project, judged, work.emitEvents);
    if (await this.imports.recordProgress(tx, work, { lastLine, linesMac, results })) return results;
    throw new GatehouseError('conflict', {
      detail: 'Another request is processing this import. Wait until it has finished.',
    });
  }

  /** A key that has been revoked opens nothing any more, however long ago the request began (contract, section 3). */
  private async assertStillAllowed({ caller, projectId }: ImportWork): Promise<void> {
    if (!(await this.apiKeys.isActive(caller.keyId))) {
      throw new GatehouseError('invalid_api_key', { headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    await this.projects.getActive(caller.reach, projectId);
  }

  /** Best effort: what cannot be noted now shows by itself when nothing more comes. */
  private async markInterrupted(work: ImportWork): Promise<void> {
    try {
      await this.transactions.run((tx) => this.imports.finish(tx, work, 'interrupted'));
    } catch (error) {
      this.logger.warn(
        { importId: work.id, reason: errorMessage(error) },
        'import interruption not recorded',
      );
    }
  }
}

/** What comes next; but no waiting for it once what went before has failed. */
function unlessFailed<T>(coming: Promise<T>, before: Promise<void>): Promise<T> {
  coming.catch(() => undefined);
  return Promise.race([coming, before.then(() => coming)]);
}

const importReach = ({ project }: ImportWork): Reach => ({
  organizationId: project.organizationId,
  projectId: project.id,
});

function encodePosition(line: number): Buffer {
  const place = Buffer.alloc(POSITION_LENGTH);
  place.writeUInt32BE(line);
  return place;
}
