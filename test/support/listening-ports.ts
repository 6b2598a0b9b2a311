import { readFile, readdir, readlink } from 'node:fs/promises';

const LISTEN = '0A';

/** Returns the TCP ports on which a process listens. Requires Linux (proc(5)). */
export async function listeningPorts(pid: number): Promise<number[]> {
  const fds = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const own = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[3] === LISTEN && own.has(columns[9]))
    .map((columns) => parseInt(columns[1]!.split(':').at(-1)!, 16));
}
