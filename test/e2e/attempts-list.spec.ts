import { checkCases } from '../support/check-cases.js';
import { findExpectedIds } from '../support/find-expected-ids.js';
import { seedInstance, insertEndpoint, type SeededInstance } from '../support/seed-instance.js';
import { seedDeliveries } from '../support/seed-deliveries.js';
import { insertKey, insertOrganization } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';

const PATH = '/v1/webhooks/deliveries';

/** An API key, and an SQL condition for the attempts that it can access. */
interface Caller {
  key: string;
  accessCondition: string;
}

let instance: TestInstance;
let seeded: SeededInstance;
let childProject: string;
let callers: Record<'organization' | 'project' | 'child' | 'foreign', Caller>;

const requestPage = async (query: Record<string, string>, { key } = callers.organization) => {
  const response = await instance.request('GET', `${PATH}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  return response.body as { data: { id: string }[]; next_cursor: string | null; has_more: boolean };
};

/** Reads all pages of the list. */
async function readAll(
  query: Record<string, string>,
  caller?: Caller,
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  for (let cursor = '', pages = 1; ; pages += 1) {
    const page = await requestPage({ limit: '200', ...query, ...(cursor ? { cursor } : {}) }, caller);
    ids.push(...page.data.map(({ id }) => id));
    expect(page.has_more).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return { ids, pages };
    cursor = page.next_cursor;
  }
}

const findExpected = (
  query: Record<string, string>,
  { accessCondition } = callers.organization,
): Promise<string[]> => findExpectedIds(instance, 'attempts', query, accessCondition);

beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const { organizationId, projectId, secretKey, projectSecretKey } = instance.credentials;
  seeded = await seedInstance(instance, 2_500);
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
    [seeded.projects[1]],
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
  await instance.sql(
    `UPDATE attempts SET http_status = CASE attempt WHEN 4 THEN 7 ELSE 999 END WHERE attempt > 3 AND NOT success`,
  );
  // Gives this status to a single attempt near the end of the list.
  await instance.sql(
    `UPDATE attempts SET http_status = 418 WHERE id = (
       SELECT id FROM attempts WHERE project_id = $1 AND attempt = 2 ORDER BY id OFFSET 9 LIMIT 1)`,
    [projectId],
  );
  callers = {
    organization: {
      key: secretKey,
      accessCondition: `d.organization_id IN ('${organizationId}', '${child.organizationId}')`,
    },
    project: {
      key: projectSecretKey,
      accessCondition: `d.endpoint_id IN ('${seeded.endpoints.slice(0, 2).join(`', '`)}')`,
    },
    child: {
      key: await insertKey(instance, { ...child, type: 'secret', access: 'organization' }),
      accessCondition: `d.project_id = '${childProject}'`,
    },
    foreign: {
      key: await insertKey(instance, { ...foreign!, type: 'secret' }),
      accessCondition: `d.project_id = '${foreign!.projectId}'`,
    },
  };
});
afterAll(async () => instance?.stop());

describe('the attempt log', () => {
  it('returns the attempts that a key can access, newest first, in pages', async () => {
    for (const caller of Object.values(callers)) {
      const ids = await findExpected({}, caller);
      expect(ids.length).toBeGreaterThan(10);
      expect((await readAll({ limit: '99' }, caller)).ids).toEqual(ids);
    }
  });

  it('returns exactly the attempts that match a filter, for an organization and for a project', async () => {
    const [after, before] = [3, 2].map((days) => new Date(Date.now() - days * 86_400_000).toISOString()) as [
      string,
      string,
    ];
    const [first, second, organizationEndpoint, foreign] = seeded.endpoints.map((id) => `ep_${id}`) as [
      string,
      string,
      string,
      string,
    ];
    const matchingQueries: Record<string, string>[] = [
      { project_id: childProject },
      { endpoint_id: second },
      { endpoint_id: organizationEndpoint, project_id: seeded.projects[0] },
      { event: 'customer.deleted' },
      { success: 'false' },
      { success: 'true' },
      { delivery_state: 'failed' },
      { delivery_state: 'succeeded' },
      { http_status: '404' },
      { http_status: '204' },
      { http_status: '418' },
      { http_status: '999' },
      { status_class: '5xx' },
      { status_class: 'other' },
      { status_class: 'other', http_status: '7' },
      { status_class: 'none' },
      { created_after: after, created_before: before },
      { endpoint_id: first, success: 'false', created_after: before },
    ];
    const emptyQueries: Record<string, string>[] = [
      { project_id: seeded.projects[1] },
      { endpoint_id: foreign },
      { delivery_state: 'pending' },
      { delivery_state: 'succeeded', success: 'false' },
      { created_after: before, created_before: after },
    ];
    await checkCases(
      [...matchingQueries, ...emptyQueries].map((query) => [JSON.stringify(query), query] as const),
      async (query) => {
        const ids = await findExpected(query);
        expect(ids.length > 0).toBe(matchingQueries.includes(query));
        expect((await readAll(query)).ids).toEqual(ids);
        expect((await readAll(query, callers.project)).ids).toEqual(
          await findExpected(query, callers.project),
        );
      },
      5,
    );
  });

  it('returns the attempts of a delivery and of an event to keys that can access them', async () => {
    for (const endpoint of seeded.endpoints) {
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
          expect((await readAll({ ...query, limit: '3' }, caller)).ids).toEqual(
            await findExpected(query, caller),
          );
    }
  });

  it('scans a bounded part of the log per page, and continues even after a short page', async () => {
    const { ids, pages } = await readAll({ http_status: '418' });
    expect(ids).toHaveLength(1);
    expect(pages).toBeLessThan(5);
    expect((await readAll({ event: 'customer.deleted' })).pages).toBeGreaterThan(1);
  });

  it('is empty and has only one page for an endpoint that the key cannot access', async () => {
    const nothing = { data: [], has_more: false };
    const [, , organizationEndpoint, foreign] = seeded.endpoints;
    expect(await requestPage({ endpoint_id: `ep_${foreign}` })).toMatchObject(nothing);
    expect(await requestPage({ endpoint_id: `ep_${organizationEndpoint}` }, callers.project)).toMatchObject(
      nothing,
    );
  });

  // This test must be the last one, because it adds an attempt.
  it('returns an attempt in only one of two adjacent time ranges, even with a fast worker clock', async () => {
    const at = Date.now() - 86_400_000;
    const [inserted] = await seedDeliveries(instance, [
      {
        endpointId: seeded.endpoints[0]!,
        projectId: seeded.projects[0],
        state: 'succeeded',
        attempts: [{ at, status: 200 }],
      },
    ]);
    const { eventId, attemptIds } = inserted!;
    // The worker generates the id, and PostgreSQL sets the time.
    await instance.sql(
      `UPDATE attempts SET started_at = started_at - interval '5 ms' WHERE id = $1`,
      attemptIds,
    );
    const between = new Date(at - 2).toISOString();
    const findWithin = async (range: Record<string, string>) =>
      (await readAll({ event_id: `evt_${eventId}`, ...range })).ids;
    expect(await findWithin({ created_before: between })).toEqual([`att_${attemptIds[0]}`]);
    expect(await findWithin({ created_after: between })).toEqual([]);
  });
});
