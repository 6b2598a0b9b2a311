import fs from 'node:fs';
import path from 'node:path';
import { main, root, ScriptError } from './environment.mjs';
import { run, runNpm } from './processes.mjs';

const site = path.join(root, 'site');
const PORT = '4173';

/** Builds the documentation site in dist/site. `--serve` serves it on this machine afterwards. */
await main(async () => {
  await installPackages();
  const build = await vitepress(['build']);
  if (build.code !== 0 || !process.argv.includes('--serve')) return build.code;
  return (await vitepress(['preview', '--port', PORT])).code;
});

/** Installs the packages of the site, which no other command needs. */
async function installPackages() {
  const lock = fs.statSync(path.join(site, 'package-lock.json')).mtimeMs;
  const installed = path.join(site, 'node_modules', '.package-lock.json');
  if (fs.existsSync(installed) && fs.statSync(installed).mtimeMs >= lock) return;
  console.log('Installing the packages of the site …');
  const { code, output } = await runNpm([
    'ci',
    '--prefix',
    site,
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ]);
  if (code !== 0) throw new ScriptError(output.trim());
}

/** Runs a command of VitePress in the folder of the site. */
function vitepress(args) {
  const program = path.join(site, 'node_modules/vitepress/bin/vitepress.js');
  return run(process.execPath, [program, ...args], { cwd: site, stdio: 'inherit' });
}
