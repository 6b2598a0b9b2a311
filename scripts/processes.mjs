import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the start time and command line of a process, or undefined if it is not running. A process id alone does not
 * identify a process: after a crash, especially in a container, the id is soon reused.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function describeProcess(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return undefined;
  }
  try {
    if (process.platform === 'win32') return 'alive';
    if (process.platform !== 'linux') {
      const options = { encoding: 'utf8', env: { PATH: process.env.PATH, LC_ALL: 'C' } };
      return execFileSync('ps', ['-ww', '-o', 'lstart=,command=', '-p', String(pid)], options).trim();
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has exited, but may never be reaped in a container.
    if (fields[0] === 'Z') return undefined;
    return `${fields[19]} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`;
  } catch {
    return undefined;
  }
}

/**
 * Returns the id of the running process that holds a lock file, if any.
 * @param {string} file
 * @returns {number | undefined}
 */
export function lockHolder(file) {
  try {
    const [pid, description] = readFileSync(file, 'utf8').split('\n');
    if (pid === '') return Date.now() - statSync(file).mtimeMs < 1_000 ? -1 : undefined; // The file is being written.
    return describeProcess(Number(pid)) === description ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Acquires a lock file, unless the process that holds it is still running.
 * @param {string} file
 * @returns {{ release(): void } | { holder: number }}
 */
export function takeLock(file) {
  const content = `${process.pid}\n${describeProcess(process.pid)}\n`;
  for (;;) {
    try {
      writeFileSync(file, content, { flag: 'wx' });
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = lockHolder(file);
    if (holder !== undefined) return { holder };
    rmSync(file, { force: true });
  }
}

/**
 * Runs `work` while holding a lock file, after waiting for other processes to release it.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  let lock = takeLock(file);
  while (!lock.release) {
    await sleep(100);
    lock = takeLock(file);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * Runs a program and waits until it exits. The code is -1 if the program cannot be started.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { input?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>} `output` is empty with `stdio: 'inherit'`
 */
export function run(command, args, { input = '', ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
      stream?.on('error', () => {});
    }
    child.stdin?.on('error', () => {}).end(input);
    child.on('error', (error) => resolve({ code: -1, output: `${output}${error.message}` }));
    child.once('close', (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal], output }));
  });
}

/**
 * Runs npm and waits until it exits. On Windows, npm is a script that only a shell can run.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runNpm(args, options) {
  return run('npm', args, { shell: process.platform === 'win32', ...options });
}
