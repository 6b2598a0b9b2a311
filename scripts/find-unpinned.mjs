import fs from 'node:fs';
import path from 'node:path';

/** Matches the image of an `ARG`, a service, a builder or a generator, at the end of a line. */
const IMAGE = /^ARG \w*IMAGE=(\S+)|^ *(?:image|driver-opts|sbom): (?:image=|generator=)?([^\s#]+)/gm;
const ACTION = /^.*\buses: *([^\s#]+)(.*)/gm;

/** Returns true for an image that is built from this repository. */
const isOwn = (image) => image.startsWith('gatehouse:');

/**
 * Returns images without a digest, and actions without a commit and a version comment, each with its file. They must be
 * pinned because a tag can be moved to another image or commit.
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
