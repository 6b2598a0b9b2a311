import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';

/**
 * The OpenAPI document of the built api. Nothing connects and nothing listens; the settings are these, whatever the
 * environment.
 */
export async function openApiDocument() {
  const { createLogger, loadConfig } = await import('../dist/libs/platform/src/index.js');
  const { createApi } = await import('../dist/apps/api/src/api.js');
  const { buildOpenApi } = await import('../dist/apps/api/src/reference/openapi.js');
  const config = loadConfig({
    DATABASE_URL: 'postgres://127.0.0.1/nowhere',
    DATA_DIR: tmpdir(),
    GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
    HASH_THREADS: '1',
    LOG_LEVEL: 'silent',
  });
  const api = await createApi(config, createLogger(config, 'generate'));
  try {
    return buildOpenApi(api.app);
  } finally {
    await api.app.close();
  }
}
