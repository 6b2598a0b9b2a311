import { checkCases } from '../support/check-cases.js';
import { findExpectedIds } from '../support/find-expected-ids.js';
import { seedInstance, insertEndpoint, type SeededInstance } from '../support/seed-instance.js';
import { seedDeliveries } from '../support/seed-deliveries.js';
import { insertKey, insertOrganization } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';

const PATH = '/v1/webhooks/deliveries';

/** A key, and SQL for what it may see. */
interface Caller {
  key: string;
  reach: string;
}

let instance: TestInstance;
let log: SeededInstance;
let childProject: string;
let callers: Record<'organization' | 'project' | 'child' | 'foreign', Caller>;

const ask = async (query: Record<string, string>, { key } = callers.organization) => {
  const answer = await instance.request('GET', `${PATH}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  return answer.body as { data: { id: string }[]; next_cursor: string | null; has_more: boolean };
};

/** Every page of a list, to its end. */
async function read(
  query: Record<string, string>,
  caller?: Caller,
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  for (let cursor = '', pages = 1; ; pages += 1) {
    const page = await ask({ limit: '200', ...query, ...(cursor ? { cursor } : {}) }, caller);
    ids.push(...page.data.map(({ id }) => id));
    expect(page.has_more).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return { ids, pages };
    cursor = page.next_cursor;
  }
}

const found = (query: Record<string, string>, { reach } = callers.organization): Promise<string[]> =>
  findExpectedIds(instance, 'attempts', query, reach);

beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const { organizationId, projectId, secretKey, projectSecretKey } = instance.credentials;
  log = await seedInstance(instance, 2_500);
  const child = await insertOrganization(instance);
  childProject = child.projectId;
  await instance.sql('UPDATE organizations SET parent_id = $1 WHERE id = $2', [
    organizationId,
    child.organizationId,
  ]);
  const endpointId = await insertEndpoint(
    instance,
    child.organizationId,
    childProject,
    'https://example.com/',
  );
  const [foreign] = await instance.sql<{ organizationId: string; projectId: string }>(
    'SELECT organization_id AS "organizationId", id AS "projectId" FROM projects WHERE id = $1',
    [log.projects[1]],
  );
  const attempts = [{ at: Date.now() - 3_600_000, status: 200 }];
  await seedDeliveries(
    instance,
    Array.from({ length: 20 }, () => ({ endpointId, ...child, state: 'succeeded', attempts })),
  );
  await instance.sql(
    `UPDATE attempts SET http_status = 204 WHERE success AND event_type = 'session.created'`,
  );
  await instance.sql('UPDATE attempts SET http_status = 0 WHERE attempt = 3');
  // One that hardly anything is like, far down.
  await instance.sql(
    `UPDATE attempts SET http_status = 418 WHERE id = (
       SELECT id FROM attempts WHERE project_id = $1 AND attempt = 2 ORDER BY id OFFSET 9 LIMIT 1)`,
    [projectId],
  );
  callers = {
    organization: {
      key: secretKey,
      reach: `d.organization_id IN ('${organizationId}', '${child.organizationId}')`,
    },
    project: {
      key: projectSecretKey,
      reach: `d.endpoint_id IN ('${log.endpoints.slice(0, 2).join(`', '`)}')`,
    },
    child: {
      key: await insertKey(instance, { ...child, type: 'secret', access: 'organization' }),
      reach: `d.project_id = '${childProject}'`,
    },
    foreign: {
      key: await insertKey(instance, { ...foreign!, type: 'secret' }),
      reach: `d.project_id = '${foreign!.projectId}'`,
    },
  };
});
afterAll(async () => instance?.stop());

describe('the log of attempts', () => {
  it('shows each key the attempts within its reach, newest first, page by page', async () => {
    for (const caller of Object.values(callers)) {
      const ids = await found({}, caller);
      expect(ids.length).toBeGreaterThan(10);
      expect((await read({ limit: '99' }, caller)).ids).toEqual(ids);
    }
  });

  it('finds exactly the attempts that match a filter, for an organization and for a project', async () => {
    const [after, before] = [3, 2].map((days) => new Date(Date.now() - days * 86_400_000).toISOString()) as [
      string,
      string,
    ];
    const [first, second, whole, foreign] = log.endpoints.map((id) => `ep_${id}`) as [
      string,
      string,
      string,
      string,
    ];
    const somewhere: Record<string, string>[] = [
      { project_id: childProject },
      { endpoint_id: second },
      { endpoint_id: whole, project_id: log.projects[0] },
      { event: 'customer.deleted' },
      { success: 'false' },
      { success: 'true' },
      { delivery_state: 'failed' },
      { delivery_state: 'succeeded' },
      { http_status: '404' },
      { http_status: '204' },
      { http_status: '418' },
      { status_class: '5xx' },
      { status_class: 'none' },
      { created_after: after, created_before: before },
      { endpoint_id: first, success: 'false', created_after: before },
    ];
    const nowhere: Record<string, string>[] = [
      { project_id: log.projects[1] },
      { endpoint_id: foreign },
      { delivery_state: 'pending' },
      { delivery_state: 'succeeded', success: 'false' },
      { created_after: before, created_before: after },
    ];
    await checkCases(
      [...somewhere, ...nowhere].map((query) => [JSON.stringify(query), query] as const),
      async (query) => {
        const ids = await found(query);
        expect(ids.length > 0).toBe(somewhere.includes(query));
        expect((await read(query)).ids).toEqual(ids);
        expect((await read(query, callers.project)).ids).toEqual(await found(query, callers.project));
      },
      5,
    );
  });

  it('finds the attempts of a delivery and of an event, for those whose they are', async () => {
    for (const endpoint of log.endpoints) {
      const [delivery] = await instance.sql<{ id: string; event: string }>(
        `SELECT 'dlv_' || id AS id, 'evt_' || event_id AS event FROM deliveries
         WHERE endpoint_id = $1 AND state = 'failed' LIMIT 1`,
        [endpoint],
      );
      const queries: Record<string, string>[] = [
        { delivery_id: delivery!.id },
        { event_id: delivery!.event },
      ];
      for (const query of queries)
        for (const caller of [callers.organization, callers.project])
          expect((await read({ ...query, limit: '3' }, caller)).ids).toEqual(await found(query, caller));
    }
  });

  it('looks at a part of the log at a time: a page may be short, or empty, and the next one goes on', async () => {
    const { ids, pages } = await read({ http_status: '418' });
    expect(ids).toHaveLength(1);
    expect(pages).toBeLessThan(5);
    expect((await read({ event: 'customer.deleted' })).pages).toBeGreaterThan(1);
  });

  it('says nothing of others: what is not within the reach has no further page', async () => {
    const nothing = { data: [], has_more: false };
    const [, , whole, foreign] = log.endpoints;
    expect(await ask({ endpoint_id: `ep_${foreign}` })).toMatchObject(nothing);
    expect(await ask({ endpoint_id: `ep_${whole}` }, callers.project)).toMatchObject(nothing);
  });

  // The last one: it adds to the log.
  it('finds an attempt in one of two spans that meet, also of a worker whose clock is ahead', async () => {
    const at = Date.now() - 86_400_000;
    const [inserted] = await seedDeliveries(instance, [
      {
        endpointId: log.endpoints[0]!,
        projectId: log.projects[0],
        state: 'succeeded',
        attempts: [{ at, status: 200 }],
      },
    ]);
    const { eventId, attemptIds } = inserted!;
    // The id is of the worker, the time of PostgreSQL.
    await instance.sql(
      `UPDATE attempts SET started_at = started_at - interval '5 ms' WHERE id = $1`,
      attemptIds,
    );
    const between = new Date(at - 2).toISOString();
    const within = async (span: Record<string, string>) =>
      (await read({ event_id: `evt_${eventId}`, ...span })).ids;
    expect(await within({ created_before: between })).toEqual([`att_${attemptIds[0]}`]);
    expect(await within({ created_after: between })).toEqual([]);
  });
});
