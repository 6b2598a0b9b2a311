import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';

/**
 * Returns the OpenAPI documents of the built API, `{ public, operator }`. Does not connect to a server, listen on a
 * port or read settings from the environment.
 */
export async function openApiDocuments() {
  const { createLogger, loadConfig } = await import('@gatehouse/platform');
  const { createApi } = await import('../dist/apps/api/api.js');
  const { buildOpenApi } = await import('../dist/apps/api/reference/openapi.js');
  const config = loadConfig({
    DATABASE_URL: 'postgres://127.0.0.1/nowhere',
    DATA_DIR: tmpdir(),
    GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
    HASH_THREADS: '1',
    LOG_LEVEL: 'silent',
  });
  const api = await createApi(config, createLogger(config, 'generate'));
  try {
    return { public: buildOpenApi(api.app, 'public'), operator: buildOpenApi(api.app, 'operator') };
  } finally {
    await api.app.close();
  }
}
