import type { WalkedPage } from '@gatehouse/persistence';
import type { NamedAuditEntry } from './audit-search.service.js';
import { csvLine } from './csv-line.js';

const PAGE_SIZE = 1_000;

/**
 * A CSV file of entries, piece by piece; the names of its columns come first. If there are more entries than `most`,
 * the last line says so.
 * @param read up to `limit` entries, newest first, and the id before which more may follow
 */
export async function* auditCsvPages(
  read: (before: string | null, limit: number) => Promise<WalkedPage<NamedAuditEntry>>,
  maxEntries: number,
): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns));
  let left = maxEntries;
  for (let before: string | null = null; ;) {
    // One more than is taken: pages can be short, and an id to go on from does not mean that anything is there.
    const { items, next } = await read(before, Math.min(PAGE_SIZE, left + 1));
    yield items.slice(0, left).map(toCsvLine).join('');
    if (items.length > left) {
      yield truncationLine(maxEntries);
      return;
    }
    if (!next) return;
    left -= items.length;
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

/** As wide as the others (RFC 4180). */
function truncationLine(maxEntries: number): string {
  const text = `Only the newest ${maxEntries.toLocaleString('en')} entries are in this file. Narrow the filters to export older entries.`;
  return csvLine(Object.keys(columns).map((_, index) => (index === 0 ? text : null)));
}
