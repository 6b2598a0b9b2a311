# Run once by the image of PostgreSQL, on an empty data directory: a role for Gatehouse that is no superuser, and owns
# one database and nothing else.
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password DATABASE_PASSWORD
CREATE ROLE gatehouse LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE gatehouse OWNER gatehouse;
REVOKE ALL ON DATABASE gatehouse FROM PUBLIC;
SQL
