import type { Page } from 'playwright-core';
import type { TestBrowser } from './browser.js';
import type { TestInstance } from './test-instance.js';
import type { OperatorClient } from './operator-client.js';

/** A console screen, for tests and screenshots. */
export interface Screen {
  name: string;
  /** The path below `/console`. */
  path: string;
}

/** Returns all screens. A record's screen shows the newest record, and is omitted if there is none. */
export async function listScreens(instance: TestInstance): Promise<Screen[]> {
  const findNewest = async (table: string, prefix = ''): Promise<string | null> => {
    const [row] = await instance.sql<{ id: string }>(`SELECT id FROM ${table} ORDER BY id DESC LIMIT 1`);
    return row ? prefix + row.id : null;
  };
  const [provider] = await instance.sql<{ id: string; projectId: string }>(
    'SELECT id, project_id AS "projectId" FROM identity_providers ORDER BY id DESC LIMIT 1',
  );
  const [key] = await instance.sql<{ id: string; projectId: string }>(
    'SELECT id, project_id AS "projectId" FROM api_keys ORDER BY id DESC LIMIT 1',
  );
  const lists = [
    ...['', 'deliveries', 'dead-letters', 'endpoints', 'batches', 'events', 'customers', 'organizations'],
    ...['projects', 'audit', 'mails', 'mailbox', 'operators', 'health', 'account'],
  ].flatMap((name) => withTabs(name || 'overview', `/${name}`));
  lists.push({ name: 'customers-import', path: '/customers/import' });
  const records = {
    delivery: ['deliveries', await findNewest('deliveries', 'dlv_')],
    endpoint: ['endpoints', await findNewest('webhook_endpoints', 'ep_')],
    batch: ['batches', await findNewest('redelivery_batches', 'rdl_')],
    event: ['events', await findNewest('events', 'evt_')],
    customer: ['customers', await findNewest('customers')],
    organization: ['organizations', await findNewest('organizations')],
    project: ['projects', await findNewest('projects')],
  };
  return [
    ...lists,
    { name: 'attempts', path: '/deliveries/attempts' },
    ...Object.entries(records).flatMap(([name, [list, id]]) => (id ? withTabs(name, `/${list}/${id}`) : [])),
    ...(key ? [{ name: 'key', path: `/projects/${key.projectId}/keys/${key.id}` }] : []),
    ...(provider
      ? [
          {
            name: 'provider',
            path: `/projects/${provider.projectId}/identity-providers/${provider.id}`,
          },
        ]
      : []),
  ];
}

/** Each screen's tabs, without the first one, which is open by default. */
const tabs: Record<string, string[]> = {
  overview: ['identity'],
  customer: ['profile', 'sessions', 'webhooks'],
  project: ['providers', 'templates', 'keys'],
  health: ['alerts'],
};

const withTabs = (name: string, path: string): Screen[] => [
  { name, path },
  ...(tabs[name] ?? []).map((tab) => ({ name: `${name}-${tab}`, path: `${path}?tab=${tab}` })),
];

/** Opens a screen for a signed-in operator in a new browser context. @param path below `/console` */
export const openScreen = (
  browser: TestBrowser,
  instance: TestInstance,
  operator: OperatorClient,
  path: string,
): Promise<Page> =>
  browser.open(`${instance.baseUrl}/console${path}`, {
    storageState: { cookies: [operator.browserCookie()], origins: [] },
    // Transitions cost CPU time, and a test would see the colors and positions in the middle of a transition.
    reducedMotion: 'reduce',
  });
