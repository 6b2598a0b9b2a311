import fs from 'node:fs';
import path from 'node:path';
import { main, root, ScriptError, step } from './environment.mjs';
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

/** Installs the site's packages if they are missing or outdated. No other command needs them. */
async function installPackages() {
  const lock = fs.statSync(path.join(site, 'package-lock.json')).mtimeMs;
  const installed = path.join(site, 'node_modules', '.package-lock.json');
  if (fs.existsSync(installed) && fs.statSync(installed).mtimeMs >= lock) return;
  await step(process.stdout, 'Installing the packages of the site', async () => {
    // VitePress is a dev dependency, which npm does not install if NODE_ENV is production.
    const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await runNpm(args, { cwd: site });
    if (code !== 0) throw new ScriptError(`${output}\nInstallation failed: npm ci exited with code ${code}.`);
  });
}

/** Runs a VitePress command for the site. */
function vitepress(args) {
  const program = path.join(site, 'node_modules/vitepress/bin/vitepress.js');
  return run(process.execPath, [program, ...args], { cwd: site, stdio: 'inherit' });
}
