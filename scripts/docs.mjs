import path from 'node:path';
import { main, root } from './environment.mjs';
import { ensureFolderInstalled } from './install-folder.mjs';
import { run } from './processes.mjs';

const site = path.join(root, 'site');
const PORT = '4173';

/** Builds the documentation site in dist/site. With `--serve`, also serves it on this machine. */
await main(async () => {
  await ensureFolderInstalled(site, 'Installing the packages of the site', process.stdout);
  const build = await vitepress(['build']);
  if (build.code !== 0 || !process.argv.includes('--serve')) return build.code;
  return (await vitepress(['preview', '--port', PORT])).code;
});

/** Runs a VitePress command for the site. */
function vitepress(args) {
  const program = path.join(site, 'node_modules/vitepress/bin/vitepress.js');
  return run(process.execPath, [program, ...args], { cwd: site, stdio: 'inherit' });
}
