import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ScriptError, root, step } from '../../scripts/environment.mjs';
import { run, runNpm } from '../../scripts/processes.mjs';

/**
 * Returns the folder with a commit's built checkout. Installs and builds it once, which takes several minutes.
 * @param {string} commit
 * @param {NodeJS.WriteStream} output stream for progress messages
 * @returns {Promise<string>}
 * @throws ScriptError with the reason if the repository's history or the packages are unavailable
 */
export async function buildPreviousVersion(commit, output) {
  const folder = path.join(root, 'node_modules', '.cache', `previous-${commit}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const check = ({ code, output: text }) => {
    if (code !== 0) throw new ScriptError(text.trim().split('\n').at(-1));
  };
  await step(output, `Building ${commit.slice(0, 8)}`, async () => {
    const archive = `${unfinished}.tar`;
    check(await run('git', ['archive', `--output=${archive}`, commit], { cwd: root }));
    check(await run('tar', ['--extract', '--file', archive, '--directory', unfinished]));
    rmSync(archive);
    const options = { cwd: unfinished };
    check(await runNpm(['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], options));
    check(await runNpm(['run', 'build'], options));
  });
  renameSync(unfinished, folder);
  return folder;
}
