import { main, root } from './environment.mjs';
import { findUnpinned } from './find-unpinned.mjs';

/** Lists images and actions that are not pinned. The exit code is 1 if there are any, which stops a release. */
await main(async () => {
  const { images, actions } = findUnpinned(root);
  for (const image of images) console.error(`${image} has no digest. Run: sh ops/pin-images.sh`);
  for (const action of actions) console.error(`${action} has no commit with its version as a comment`);
  return images.length + actions.length > 0 ? 1 : 0;
});
