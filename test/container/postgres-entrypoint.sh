# A minimal entrypoint for PostgreSQL, which supports only what docker-compose.yml requires.
set -eu
export PGDATA=/var/lib/postgresql/17/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  # shellcheck disable=SC2086 # several arguments
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust \
    $POSTGRES_INITDB_ARGS
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl start --wait --options="-c listen_addresses=''"
  for script in /docker-entrypoint-initdb.d/*.sh; do . "$script"; done
  pg_ctl stop --wait --mode=fast
fi
exec postgres -c listen_addresses='*'
