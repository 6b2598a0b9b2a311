import { currentAsciiHost } from '@gatehouse/domain';
import { hostColumns, HostNamesRepository, type Database } from '@gatehouse/persistence';
import { ok, warning, type CheckResult } from './check-result.js';

const CHECK = 'host names';

/** Maximum number of listed values. Further values are only counted. */
const MAX_LISTED = 20;

const FIX =
  'Gatehouse does not change or merge anything automatically: docs/operations/host-names.md, "Replace a host name that is no longer valid".';

/** Matches the host in an email address, an origin, a URL or a wildcard entry, or a plain host name. */
const hostPattern = /^(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(?:\*\.)?|[^@/]*@)?([^/?#:@]*)/i;

/**
 * Lists the stored host names whose ASCII form differs from the form that this version uses. Scans entire
 * tables.
 */
export async function checkHostNames(database: Database): Promise<CheckResult[]> {
  const repository = new HostNamesRepository(database);
  const results: CheckResult[] = [];
  let total = 0;
  for (const column of hostColumns)
    for await (const batch of repository.readEncoded(column))
      for (const { key, text } of batch) {
        const change = describeChange(hostPattern.exec(text)![1]!);
        if (change === null) continue;
        total += 1;
        if (total <= MAX_LISTED) results.push(warning(CHECK, `${column.subject} ${key}: ${change}`, FIX));
      }
  if (total > MAX_LISTED) results.push(warning(CHECK, `and ${total - MAX_LISTED} more`, FIX));
  return total > 0 ? results : [ok(CHECK, 'every stored host name has its current form')];
}

/** Describes the change, or returns null if the host is in its current form. */
function describeChange(host: string): string | null {
  const current = currentAsciiHost(host);
  if (current === null) return `the host ${host} is no longer valid`;
  // An issuer is stored as the provider spells it, possibly in Unicode or in uppercase.
  const isStoredInAscii = Buffer.byteLength(host) === host.length;
  return isStoredInAscii && current !== host.toLowerCase() ? `the host ${host} is now ${current}` : null;
}
