#!/bin/sh
# Pins the images in Dockerfile and docker-compose.yml to the digests that their tags have in the registry.
# A tag can be moved to another image, a digest cannot. Run it again after you change a tag.
set -eu
cd "$(dirname "$0")/.."
images=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile && sed -n 's/^ *image: //p' docker-compose.yml | grep -v '^gatehouse:')
for image in $images; do
  tag=${image%@*}
  digest=$(docker buildx imagetools inspect "$tag" --format '{{.Manifest.Digest}}')
  if ! echo "$digest" | grep -Eqx 'sha256:[0-9a-f]{64}'; then
    echo "$tag: no digest" >&2
    exit 1
  fi
  for file in Dockerfile docker-compose.yml; do
    sed "s|$tag\(@sha256:[0-9a-f]*\)\{0,1\}\$|$tag@$digest|" "$file" > "$file.pinned"
    cat "$file.pinned" > "$file"
    rm "$file.pinned"
  done
  echo "$tag@$digest"
done
