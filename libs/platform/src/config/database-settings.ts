import * as setting from './setting.js';

/** The settings for PostgreSQL and Redis. */
export const databaseSettings = {
  DATABASE_URL: setting.databaseUrl({
    doc: 'URL of PostgreSQL 15 or later. It can contain several hosts, separated by commas: connections go to the first one that accepts writes, or that meets target_session_attrs. If it is not set, npm start runs an embedded PostgreSQL in DATA_DIR.',
    fallback: null,
    secret: true,
  }),
  MIGRATE_DATABASE_URL: setting.databaseUrl({
    doc: 'URL of the same database with the role that owns the tables, for migrations. It must not point to a pooler. With this setting, the role in DATABASE_URL cannot change audit log entries. If it is not set, the role in DATABASE_URL also runs migrations. With DATABASE_POOLER, a worker uses this setting for LISTEN; a worker without it polls. npm start, npm run serve and the Helm chart do not pass it to the worker.',
    fallback: null,
    secret: true,
  }),
  DATABASE_READ_URL: setting.databaseUrl({
    doc: "URL of a hot standby of the database in DATABASE_URL, with the same role. The API processes then read long lists, the event feed and the console's metrics from the standby. This data can be about 10 seconds old. While the standby is unavailable or further behind, they read from the primary.",
    fallback: null,
    secret: true,
  }),
  DATABASE_POOLER: setting.choice(
    {
      doc: 'Pooler in front of PostgreSQL in DATABASE_URL and DATABASE_READ_URL. transaction: a pooler in transaction mode. transaction-prepared: a pooler in transaction mode that also supports prepared statements, such as PgBouncer 1.21 or later with max_prepared_statements above 0.',
      fallback: 'none',
    },
    ['none', 'transaction', 'transaction-prepared'],
  ),
  DATABASE_POOL: setting.integer(
    { doc: 'Maximum number of database connections per process.', fallback: 10 },
    1,
    500,
  ),
  REDIS_URL: setting.redisUrl({
    doc: 'URL of Redis, for delivery jobs and shared rate limits, such as rediss://user:password@host:6379. If it is not set, the worker polls PostgreSQL for due deliveries.',
    fallback: null,
    secret: true,
  }),
  REDIS_SENTINELS: setting.redisUrl({
    doc: 'URL of the sentinels, such as redis://sentinel-1:26379,sentinel-2:26379, if Sentinel manages Redis. REDIS_URL then contains the name of the primary instead of a host: redis://user:password@mymaster.',
    fallback: null,
    secret: true,
  }),
  REDIS_CLUSTER: setting.onOff({
    doc: 'Use Redis as a cluster. REDIS_URL can then contain several nodes, separated by commas, and uses database 0.',
    fallback: false,
  }),
};
