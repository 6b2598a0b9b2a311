import * as setting from './setting.js';

/** The settings for PostgreSQL and Redis. */
export const databaseSettings = {
  DATABASE_URL: setting.databaseUrl({
    doc: 'URL of PostgreSQL 15 or later. It can contain several hosts, separated by commas: connections go to the first one that accepts writes, or that target_session_attrs accepts. If it is not set, npm start runs an embedded PostgreSQL in DATA_DIR.',
    fallback: null,
    secret: true,
  }),
  MIGRATE_DATABASE_URL: setting.databaseUrl({
    doc: 'URL of the same database for the role that owns the tables, for migrations. It must not lead to a pooler. The role of DATABASE_URL then cannot change audit log entries. If it is not set, that role also runs migrations. With DATABASE_POOLER, a worker that has this setting uses it for LISTEN, and otherwise polls; npm start, npm run serve and the Helm chart do not pass it to the worker.',
    fallback: null,
    secret: true,
  }),
  DATABASE_READ_URL: setting.databaseUrl({
    doc: 'URL of a hot standby of the database in DATABASE_URL, for the same role. The api then reads long lists, the event feed and the metrics of the console from it, which can be about 10 seconds old, or from the primary while the standby is unavailable or further behind.',
    fallback: null,
    secret: true,
  }),
  DATABASE_POOLER: setting.choice(
    {
      doc: 'Pooler in front of PostgreSQL in DATABASE_URL and DATABASE_READ_URL. transaction: one in transaction mode. transaction-prepared: one that also supports prepared statements, such as PgBouncer 1.21 or later with max_prepared_statements above 0.',
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
    doc: 'Redis is a cluster. REDIS_URL can then contain several nodes, separated by commas, and uses database 0.',
    fallback: false,
  }),
};
