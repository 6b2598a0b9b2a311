# The PostgreSQL image runs this script once, on an empty data directory. It creates two roles for Gatehouse, and neither
# role is a superuser: gatehouse owns the database and runs migrations, and the programs connect as gatehouse_runtime.
# The migrations grant gatehouse_runtime its privileges. Each password can also be in a file, such as
# DATABASE_PASSWORD_FILE=/run/secrets/database-password.
for name in DATABASE_PASSWORD RUNTIME_DATABASE_PASSWORD; do
  eval "file=\${${name}_FILE:-}"
  if [ -n "$file" ]; then export "$name=$(cat "$file")"; fi
done
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv owner_password DATABASE_PASSWORD
\getenv runtime_password RUNTIME_DATABASE_PASSWORD
CREATE ROLE gatehouse LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'owner_password';
CREATE ROLE gatehouse_runtime LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'runtime_password';
CREATE DATABASE gatehouse OWNER gatehouse;
REVOKE ALL ON DATABASE gatehouse FROM PUBLIC;
GRANT CONNECT ON DATABASE gatehouse TO gatehouse_runtime;
SQL
