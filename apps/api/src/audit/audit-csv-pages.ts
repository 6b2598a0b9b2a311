import type { ScannedPage } from '@gatehouse/persistence';
import type { NamedAuditEntry } from './audit-search.service.js';
import { csvLine } from './csv-line.js';

const PAGE_SIZE = 1_000;

/**
 * Yields a CSV file of entries page by page, starting with the column names. If there are more than
 * `maxEntries` entries, the last line says so.
 * @param read must return up to `limit` entries, newest first, and the id before which more may follow
 */
export async function* auditCsvPages(
  read: (before: string | null, limit: number) => Promise<ScannedPage<NamedAuditEntry>>,
  maxEntries: number,
): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns));
  let remaining = maxEntries;
  for (let before: string | null = null; ;) {
    // Reads one entry more than is exported: a page can be short, and a `next` id does not mean that more
    // entries exist.
    const { items, next } = await read(before, Math.min(PAGE_SIZE, remaining + 1));
    yield items.slice(0, remaining).map(toCsvLine).join('');
    if (items.length > remaining) {
      yield truncationLine(maxEntries);
      return;
    }
    if (!next) return;
    remaining -= items.length;
    before = next;
  }
}

const columns: Record<string, (entry: NamedAuditEntry) => string | null> = {
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  action: ({ action }) => action,
  actorType: ({ actorType }) => actorType,
  actorId: ({ actorId }) => actorId,
  actorName: ({ actorName }) => actorName,
  targetType: ({ targetType }) => targetType,
  targetId: ({ targetId }) => targetId,
  organizationId: ({ organizationId }) => organizationId,
  projectId: ({ projectId }) => projectId,
  ip: ({ ip }) => ip,
  userAgent: ({ userAgent }) => userAgent,
  requestId: ({ requestId }) => requestId,
  details: ({ details }) => JSON.stringify(details),
  id: ({ id }) => id,
};

const toCsvLine = (entry: NamedAuditEntry): string =>
  csvLine(Object.values(columns).map((cell) => cell(entry)));

/** Returns the truncation notice as a line with as many cells as the others (RFC 4180). */
function truncationLine(maxEntries: number): string {
  const text = `Only the newest ${maxEntries.toLocaleString('en')} entries are in this file. Narrow the filters to export older entries.`;
  return csvLine(Object.keys(columns).map((_, index) => (index === 0 ? text : null)));
}
