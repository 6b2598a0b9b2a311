import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const VIEWER = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/**
 * Writes the API reference: the viewer, the unreleased OpenAPI document, and the document of each release in
 * docs/releases.
 * @param {string} root the repository folder
 * @param {string} folder the target folder
 */
export function writeApiReference(root, folder) {
  fs.mkdirSync(folder, { recursive: true });
  const viewer = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const name of VIEWER) fs.copyFileSync(path.join(viewer, name), path.join(folder, name));
  for (const name of fs.readdirSync(path.join(root, 'site/reference')))
    fs.copyFileSync(path.join(root, 'site/reference', name), path.join(folder, name));
  for (const name of fs.readdirSync(path.join(root, 'docs')).filter((each) => each.endsWith('.json')))
    fs.copyFileSync(path.join(root, 'docs', name), path.join(folder, name));
  const documents = fs
    .readdirSync(path.join(root, 'docs/releases'))
    .filter((name) => name.startsWith('openapi-'));
  const releases = documents.map((name) => {
    fs.copyFileSync(path.join(root, 'docs/releases', name), path.join(folder, name));
    return { version: /openapi-(.+)\.json/.exec(name)[1], document: name };
  });
  releases.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
  const versions = [{ version: 'Unreleased', document: 'openapi.json' }, ...releases];
  fs.writeFileSync(path.join(folder, 'versions.json'), JSON.stringify(versions));
}
