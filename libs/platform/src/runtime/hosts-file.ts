import type { LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

const SYSTEM_PATH =
  process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/**
 * Looks up host names in the system's hosts file, which is read again after every change. It is read synchronously,
 * because other lookups may occupy all libuv threads.
 */
export class HostsFile {
  private version = '';
  private names = new Map<string, LookupAddress[]>();

  constructor(private readonly path: string = SYSTEM_PATH) {}

  /** Returns the addresses of a lowercase host name, or none if the file cannot be read. */
  findAddresses(name: string): LookupAddress[] {
    try {
      const { ino, mtimeMs, size } = statSync(this.path);
      const version = `${ino} ${mtimeMs} ${size}`;
      if (version !== this.version) this.names = parse(readFileSync(this.path, 'utf8'));
      this.version = version;
    } catch {
      this.names.clear();
      this.version = '';
    }
    return this.names.get(name) ?? [];
  }
}

function parse(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address, ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address!);
    if (family === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), { address: address!, family }]);
    }
  }
  return names;
}
