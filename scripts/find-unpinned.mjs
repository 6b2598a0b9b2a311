import fs from 'node:fs';
import path from 'node:path';

/** The image in an `ARG`, a service, a builder or a generator, at a line's end. */
const IMAGE = /^ARG \w*IMAGE=(\S+)|^ *(?:image|driver-opts|sbom): (?:image=|generator=)?([^\s#]+)/gm;
const ACTION = /^.*\buses: *([^\s#]+)(.*)/gm;

/** An image that is built from this repository. */
const isOwn = (image) => image.startsWith('gatehouse:');

/**
 * Returns the images without a digest and the actions without a commit and its version, each with its file. A tag can
 * be moved to another image or commit.
 * @param {string} root the repository folder
 * @returns {{ images: string[], actions: string[] }}
 */
export function findUnpinned(root) {
  const folder = '.github/workflows';
  const workflows = fs.readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`);
  const [images, actions] = [[], []];
  for (const file of ['Dockerfile', 'docker-compose.yml', ...workflows]) {
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    for (const [, argument, value] of text.matchAll(IMAGE)) {
      const image = argument ?? value;
      if (!isOwn(image) && !/@sha256:[0-9a-f]{64}$/.test(image)) images.push(`${file}: ${image}`);
    }
    for (const [, action, comment] of text.matchAll(ACTION))
      if (!/@[0-9a-f]{40}$/.test(action) || !/^ # v\d+\.\d+\.\d+\b/.test(comment))
        actions.push(`${file}: ${action}`);
  }
  return { images, actions };
}
