#!/bin/sh
# Pins the images in Dockerfile, docker-compose.yml and the release workflow to the digests that their tags have in the
# registry. A tag can be moved to another image, a digest cannot. Run it again after you change a tag.
set -eu
cd "$(dirname "$0")/.."
files='Dockerfile docker-compose.yml .github/workflows/release.yml'
# shellcheck disable=SC2086 # several files
images=$(sed -nE -e 's/^ARG NODE_IMAGE=//p' -e 's/^ *(image|driver-opts|sbom): (image=|generator=)?//p' $files |
  grep -v '^gatehouse:' | sort -u)
for image in $images; do
  tag=${image%@*}
  digest=$(docker buildx imagetools inspect "$tag" --format '{{.Manifest.Digest}}')
  if ! echo "$digest" | grep -Eqx 'sha256:[0-9a-f]{64}'; then
    echo "$tag: no digest" >&2
    exit 1
  fi
  for file in $files; do
    sed "s|$tag\(@sha256:[0-9a-f]*\)\{0,1\}\$|$tag@$digest|" "$file" > "$file.pinned"
    cat "$file.pinned" > "$file"
    rm "$file.pinned"
  done
  echo "$tag@$digest"
done
