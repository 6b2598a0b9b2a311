#!/bin/sh
# Writes random passwords and a root secret for docker-compose.yml into .env. Existing values are not changed.
set -eu
umask 077
cd "$(dirname "$0")/../.."
touch .env
# The file may already have existed with other permissions.
chmod 600 .env
for name in POSTGRES_PASSWORD DATABASE_PASSWORD RUNTIME_DATABASE_PASSWORD REDIS_PASSWORD ROOT_SECRET; do
  grep -q "^$name=" .env && continue
  # Adds the missing newline if the file's last line does not end with one.
  if [ -n "$(tail -c 1 .env)" ]; then echo >> .env; fi
  echo "$name=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')" >> .env
done
