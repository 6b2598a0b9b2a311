import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** An error that is printed without a stack, because its message is sufficient. */
export class ScriptError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs the body of a script in the root folder, with `.env` loaded. Environment variables take precedence over `.env`.
 * @param {() => Promise<number | void>} body returns the exit code
 */
export async function main(body) {
  try {
    requireNode();
    process.chdir(root);
    if (existsSync('.env')) process.loadEnvFile('.env');
    process.exitCode = (await body()) ?? process.exitCode;
  } catch (error) {
    // The message of a system error, such as EACCES, contains the file name.
    console.error(error instanceof ScriptError || error.syscall ? error.message : error);
    process.exitCode = error.exitCode ?? 1;
  }
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new ScriptError(
    `Gatehouse requires Node.js 20.19 or later, but the installed version is ${process.version}. Download it from https://nodejs.org.`,
  );
}

/**
 * Runs a step and shows its duration: on a terminal, in a line that is updated; otherwise, in a new line every 10 s.
 * @template T
 * @param {NodeJS.WriteStream} report
 * @param {string} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(report, label, work) {
  const started = performance.now();
  const elapsed = (digits) => ((performance.now() - started) / 1000).toFixed(digits);
  const show = (text, end) => report.write(report.isTTY ? `\r\x1b[K  ${text}${end}` : `  ${text}\n`);
  show(`${label} …`, '');
  const timer = setInterval(() => show(`${label} … ${elapsed(0)} s`, ''), report.isTTY ? 1_000 : 10_000);
  try {
    const result = await work();
    show(`${label}: ${elapsed(1)} s`, '\n');
    return result;
  } catch (error) {
    show(`${label}: failed after ${elapsed(1)} s`, '\n');
    throw error;
  } finally {
    clearInterval(timer);
  }
}
