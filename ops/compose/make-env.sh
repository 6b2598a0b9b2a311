#!/bin/sh
# Writes random passwords and a root secret for docker-compose.yml into .env. What stands there already stays.
set -eu
umask 077
cd "$(dirname "$0")/../.."
touch .env
# It may have been there before.
chmod 600 .env
for name in POSTGRES_PASSWORD DATABASE_PASSWORD REDIS_PASSWORD ROOT_SECRET; do
  grep -q "^$name=" .env && continue
  # On a line of its own, also behind a last line that has no end.
  if [ -n "$(tail -c 1 .env)" ]; then echo >> .env; fi
  echo "$name=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')" >> .env
done
