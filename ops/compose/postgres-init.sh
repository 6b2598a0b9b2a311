# The PostgreSQL image runs this script once, on an empty data directory. It creates a role for Gatehouse that is not a
# superuser and owns only one database.
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password DATABASE_PASSWORD
CREATE ROLE gatehouse LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE gatehouse OWNER gatehouse;
REVOKE ALL ON DATABASE gatehouse FROM PUBLIC;
SQL
